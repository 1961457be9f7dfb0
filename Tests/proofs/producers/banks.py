"""The banks of questions of a producer's day: of German Excel, of Kahoot and of Moodle, some with a row that cannot be used, and a table with times."""

from dataclasses import replace

from proofs.producers.spreadsheets import LOCALES, QUESTIONS

GERMAN = next(locale for locale in LOCALES if locale.name == "de-DE")
# The right answer is there as a wrong one, too.
BAD = ("Welches Tier bellt?", "Hund", "Hund", "Katze", "Maus", 10, "Tiere", "")
KAHOOT = [
    ("", "Add questions, at least two answer alternatives, time limit and choose correct answers (at least one)."),
    ("", "Question - max 120 characters", "Answer 1 - max 75 characters", "Answer 2 - max 75 characters", "Answer 3 - max 75 characters",
     "Answer 4 - max 75 characters", "Time limit (sec) – 5, 10, 20, 30, 60, 90, 120, or 240 secs", "Correct answer(s) - choose at least one"),
    (1, "Which planet is red?", "Venus", "Mars", "Earth", "Saturn", 20, 2),
    (2, "Which of these are moons?", "Io", "Europa", "Venus", "Mars", 30, "1,5"),
]
MOODLE = """// question: 1  name: Capital
::Capital::[html]<p>What is the capital of Peru?</p>{
	=Lima
	~Quito
	~La Paz
}

// question: 2  name: Essay
::Essay::Describe the way of water.{}
"""
# What can be asked of the three: the text and the seconds, where the bank has some.
ASKED = [(QUESTIONS[0][0], QUESTIONS[0][5]), (QUESTIONS[1][0], QUESTIONS[1][5]), ("Which planet is red?", 20), ("What is the capital of Peru?", None)]
BANKS = ["quiz.xlsx", "kahoot.xlsx", "moodle.gift"]
MISTAKES = {"quiz.xlsx": (4, "make all answers different"), "kahoot.xlsx": (5, "has what is none of the 4 options")}
# An essay is no mistake: it is named and left out.
LEFT_OUT = "moodle.gift:9:36: an essay cannot be asked, so it is left out"
# A table whose times are those of the editing program, in which the show begins at ten o'clock.
TIMED = "Timecode;Frage;Richtig;Falsch\n10:00:20:00;Wer war es?;Ada;Bob\n10:01:02:12;Wann?;Heute;Morgen\n10:01:45:00;Wo?;Hier;Dort\n"
MOMENTS = [20, 62.48, 105]


def write(office):
    """Writes the banks into the office's folder; gives their names."""
    spreadsheet = office.save(GERMAN, [*QUESTIONS[:2], BAD], "xlsx", "day")
    (office.folder / "quiz.xlsx").write_bytes(spreadsheet.read_bytes())
    template = replace(GERMAN, columns=("", "Quiz template"))
    (office.folder / "kahoot.xlsx").write_bytes(office.save(template, KAHOOT, "xlsx", "kahoot").read_bytes())
    (office.folder / "moodle.gift").write_text(MOODLE)
    (office.folder / "timed.csv").write_text(TIMED, encoding="utf-8-sig")
    return BANKS
