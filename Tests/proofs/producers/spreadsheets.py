"""Lets LibreOffice write a bank of questions in four locales, as its users save it, and proves that all of them are the same questions.

    python3 -m proofs.producers.spreadsheets --cuelight PROGRAM --folder FOR_ITS_FILES

LibreOffice Calc (`soffice`) is the system's.
"""

import json
from dataclasses import dataclass
from xml.sax.saxutils import escape

from proofs.facts import prove_and_end
from proofs.producers.studio import Studio, require

# Each question: its text, the right answer, three wrong ones, seconds, category, explanation. Texts that separators, quotes, locales and formulas
# trip over.
QUESTIONS = [
    ("Which metal is liquid at room temperature?", "Mercury", "Iron", "Gold", "Lead", 7.5, "Physics", "It freezes at -39 °C."),
    ("Comment dit-on « merci » à Tōkyō ?", "ありがとう; arigatō", "Tschüß, bis später", "\"Hola\"", "Привет", 20, "Languages", "On le dit souvent."),
    ("What is 1,000 times 2.5?", "2,500", "250", "25.000", "2;500", 10, "Sums", "A comma, a point or a blank: 2 500."),
    ("Which year came first?", "1969", "1989", "1999", "2009", 12.25, "Years", "Numbers that are texts of answers."),
    ("Two lines:\nwhich is the second?", "The second", "The first", "None", "Both", 5, "Lines", "A cell with a line break."),
    ("Which sign adds?", "+1 and more", "-1", "=", "@home", 8, "Signs", "Cells that look like formulas."),
]


@dataclass
class Locale:
    """How a country's spreadsheets are saved."""

    name: str
    # The separator of its lists, which its Excel writes into CSV.
    separator: str
    # LibreOffice's number of the character set that its users' CSV have, and what it is called.
    charset: int
    encoding: str
    columns: tuple


LOCALES = [
    Locale("en-US", ",", 76, "UTF-8", ("Question", "Correct answer", "Wrong answer 1", "Wrong answer 2", "Wrong answer 3", "Seconds", "Category", "Explanation")),
    Locale("de-DE", ";", 76, "UTF-8", ("Frage", "Richtig", "Falsch 1", "Falsch 2", "Falsch 3", "Sekunden", "Kategorie", "Erklärung")),
    Locale("fr-FR", ";", 65535, "UTF-16", ("Question", "Bonne réponse", "Mauvaise réponse 1", "Mauvaise réponse 2", "Mauvaise réponse 3", "Secondes", "Catégorie", "Explication")),
    Locale("es-ES", "\t", 76, "UTF-8", ("Pregunta", "Respuesta correcta", "Incorrecta 1", "Incorrecta 2", "Incorrecta 3", "Segundos", "Categoría", "Explicación")),
]
# The questions that Windows' Western character set has letters for.
WESTERN = [question for question in QUESTIONS if all(text.isascii() or text.encode("cp1252", "ignore").decode("cp1252") == text for text in map(str, question))]
WINDOWS = 1


def cell(value):
    """A cell of a flat OpenDocument table: a number, or a text with its lines."""
    if isinstance(value, (int, float)):
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
    lines = "".join(f"<text:p>{escape(line)}</text:p>" for line in value.split("\n"))
    return f'<table:table-cell office:value-type="string">{lines}</table:table-cell>'


def workbook(columns, questions):
    """The bank as a flat OpenDocument file, which LibreOffice opens."""
    rows = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in [columns, *questions])
    names = {name: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0" for name in ("office", "table", "text")}
    spaces = " ".join(f'xmlns:{name}="{uri}"' for name, uri in names.items())
    return (f'<?xml version="1.0" encoding="UTF-8"?><office:document {spaces} office:version="1.3" '
            'office:mimetype="application/vnd.oasis.opendocument.spreadsheet"><office:body><office:spreadsheet>'
            f'<table:table table:name="Quiz">{rows}</table:table></office:spreadsheet></office:body></office:document>')


class Office(Studio):
    """LibreOffice in one locale after the other."""

    def __init__(self, arguments):
        super().__init__(arguments.cuelight, getattr(arguments, "ffmpeg", None), arguments.folder)

    def profile(self, locale):
        """A profile of a user whose system speaks a language: numbers, dates and lists are that country's."""
        folder = self.folder / "profiles" / locale.name
        (folder / "user").mkdir(parents=True, exist_ok=True)
        (folder / "user" / "registrymodifications.xcu").write_text(
            '<?xml version="1.0" encoding="UTF-8"?><oor:items xmlns:oor="http://openoffice.org/2001/registry">'
            '<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse">'
            f"<value>{locale.name}</value></prop></item></oor:items>")
        return f"-env:UserInstallation={folder.as_uri()}"

    def save(self, locale, questions, kind, name, options=""):
        """The bank as a user of a locale saves it."""
        folder = self.folder / locale.name / name
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / "quiz.fods"
        source.write_text(workbook(locale.columns, questions))
        self.run("soffice", self.profile(locale), "--headless", "--convert-to", f"{kind}{options}", "--outdir", folder, source)
        output = folder / f"quiz.{kind}"
        require(output.exists(), f"LibreOffice has written no {output.name}")
        return output

    def csv(self, locale, questions, charset, name):
        # The separator, the quotes, the character set, from which line, and cells as they are shown: with the country's numbers.
        options = f":Text - txt - csv (StarCalc):{ord(locale.separator)},34,{charset},1,,0,false,true,false"
        return self.save(locale, questions, "csv", name, options)

    def questions(self, path):
        """The questions of a bank as cuelight reads them."""
        status, said, errors = self.outcome(self.cuelight, "questions", "lint", path)
        require(status == 0 and ", no mistake" in said, f"lint: status {status}: {said.strip()} {errors.strip()}")
        text, _ = self.run(self.cuelight, "questions", "convert", path, "--to", "json")
        found = json.loads(text)
        return [reduced(question) for question in found["questions"]]


def reduced(question):
    """What matters of a question."""
    right = question["correct"]
    wrong = [answer for answer in question["answers"] if answer != right]
    seconds = question.get("allottedTime", question.get("seconds"))
    return question["question"], right, *wrong, seconds, question.get("category"), question.get("explanation")


def check(studio, path, questions):
    found = studio.questions(path)
    for index, (own, theirs) in enumerate(zip(found, questions)):
        require(own == theirs, f"question {index + 1} is {own} instead of {theirs}")
    require(len(found) == len(questions), f"{len(found)} questions")
    return f"the same {len(found)} questions, no mistake"


def run(lines, arguments):
    studio = Office(arguments)
    for locale in LOCALES:
        separator = {"\t": "tabs"}.get(locale.separator, f"“{locale.separator}”")
        path = studio.csv(locale, QUESTIONS, locale.charset, "csv")
        if locale.encoding == "UTF-16":
            require(b"\0" in path.read_bytes(), "the CSV is not in UTF-16")
        lines.prove(f"LibreOffice, {locale.name}: CSV with {separator} in {locale.encoding}", check, studio, path, QUESTIONS)
        path = studio.csv(locale, WESTERN, WINDOWS, "csv-windows")
        lines.prove(f"LibreOffice, {locale.name}: CSV with {separator} in Windows-1252", check, studio, path, WESTERN)
        for kind in ("xlsx", "ods"):
            lines.prove(f"LibreOffice, {locale.name}: {kind}", check, studio, studio.save(locale, QUESTIONS, kind, kind), QUESTIONS)


if __name__ == "__main__":
    prove_and_end(run, "cuelight", keeps_folder=True)
