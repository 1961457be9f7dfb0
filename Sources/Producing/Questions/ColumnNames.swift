/// The names of columns in English, German, French, Spanish, Italian, Portuguese, Dutch and Polish, as ``ColumnName/reduced(_:)`` makes them: in
/// lower case, without accents. Names of answers may be followed by a number or letter.
enum ColumnNames {
  static let all: [(ColumnName, String)] = [
    (
      .question,
      """
      question, questions, question text, the question, prompt, frage, fragen, fragetext, die frage, text der frage, intitule, enonce
      texte de la question, pregunta, preguntas, enunciado, texto de la pregunta, domanda, domande, quesito, testo della domanda, pergunta
      perguntas, questao, texto da pergunta, vraag, vragen, vraagtekst, pytanie, pytania, tresc pytania
      """
    ),
    (
      .correct,
      """
      correct, correct answer, correct answers, right, right answer, right answers, correct choice, solution, key, answer key, true answer
      richtig, richtige, richtige antwort, richtige antworten, korrekt, korrekte antwort, losung, correcte, bonne reponse, bonnes reponses
      reponse correcte, reponses correctes, reponse juste, juste, bonne, correcta, correcto, respuesta correcta, respuestas correctas, solucion
      corretta, corretto, giusta, risposta corretta, risposta giusta, risposte corrette, risposta esatta, esatta, soluzione, correta, correto
      certa, certo, resposta correta, resposta certa, respostas corretas, juist, goed, juiste antwoord, het juiste antwoord, goede antwoord
      het goede antwoord, correct antwoord, correcte antwoord, oplossing, poprawna, poprawne, prawidlowa, poprawna odpowiedz
      poprawne odpowiedzi, prawidlowa odpowiedz, prawidlowe odpowiedzi, wlasciwa odpowiedz, dobra odpowiedz
      """
    ),
    (
      .wrong,
      """
      wrong, wrong answer, wrong answers, incorrect, incorrect answer, incorrect answers, distractor, distractors, falsch, falsche
      falsche antwort, falsche antworten, faux, fausse, mauvaise, mauvaise reponse, mauvaises reponses, reponse fausse, incorrecte
      reponse incorrecte, incorrecta, incorrecto, respuesta incorrecta, respuestas incorrectas, respuesta falsa, erronea, sbagliata, sbagliato
      errata, risposta sbagliata, risposte sbagliate, risposta errata, errada, errado, incorreta, resposta errada, respostas erradas
      resposta incorreta, fout, foute antwoord, fout antwoord, foute antwoorden, onjuist, verkeerd, bledna, bledne, bledna odpowiedz
      bledne odpowiedzi, zla odpowiedz, niepoprawna, nieprawidlowa, niepoprawna odpowiedz, nieprawidlowa odpowiedz
      """
    ),
    (
      .option,
      """
      option, choice, answer option, possible answer, alternative, variant, antwortmoglichkeit, antwortoption, auswahl, choix, proposition
      opcion, opcion de respuesta, alternativa, opzione, scelta, opcao, optie, keuze, antwoordoptie, opcja, wariant
      """
    ),
    (.answer, "answer, antwort, reponse, respuesta, risposta, resposta, antwoord, odpowiedz"),
    (
      .place,
      """
      number of the right one, number of the right answer, number of the correct answer, right number, correct number, correct option
      correct answer number, right answer number, correct index, correct option number, nummer der richtigen antwort, richtige nummer
      numero de la bonne reponse, numero de la respuesta correcta, numero della risposta corretta, numero da resposta correta
      nummer van het juiste antwoord, numer poprawnej odpowiedzi, numer prawidlowej odpowiedzi
      """
    ),
    (
      .category,
      """
      category, categories, subject, topic, kategorie, thema, themengebiet, fach, rubrik, categorie, sujet, theme, rubrique, categoria, tema
      argomento, assunto, onderwerp, kategoria, temat
      """
    ),
    (
      .difficulty,
      """
      difficulty, level, schwierigkeit, schwierigkeitsgrad, niveau, difficulte, dificultad, nivel, difficolta, livello, dificuldade
      moeilijkheid, moeilijkheidsgraad, trudnosc, poziom, poziom trudnosci
      """
    ),
    (.points, "points, score, punkte, punktzahl, puntos, punti, pontos, punten, punkty"),
    (
      .seconds,
      """
      seconds, secs, sec, time, time limit, time in seconds, allotted time, duration, timer, sekunden, zeit, zeitlimit, zeit in sekunden
      antwortzeit, dauer, secondes, temps, duree, limite de temps, temps en secondes, temps imparti, segundos, tiempo, limite de tiempo
      tiempo limite, tiempo en segundos, duracion, secondi, tempo, limite di tempo, tempo in secondi, durata, tempo limite, limite de tempo
      tempo em segundos, duracao, seconden, tijd, tijdslimiet, tijd in seconden, sekundy, czas, limit czasu, czas w sekundach
      """
    ),
    (
      .time,
      """
      at, asked at, timecode, time code, tc, start, start time, start at, cue, cue time, in, in point, begin, zeitpunkt, startzeit, beginn, einsatz
      zeitcode, debut, heure, horaire, heure de debut, temps de debut, code temporel, code temps, inicio, momento, hora, hora de inicio
      tiempo de inicio, codigo de tiempo, inizio, orario, codice temporale, starttijd, tijdcode, tijdstip, poczatek, kod czasowy
      """
    ),
    (
      .picture,
      """
      picture, image, media, photo, image link, image url, picture link, picture url, media link, media url, bild, bild url, bildadresse, foto
      grafik, lien de l'image, url de l'image, lien image, imagen, enlace de la imagen, immagine, link immagine, imagem, link da imagem
      afbeelding, plaatje, obraz, obrazek, zdjecie
      """
    ),
    (
      .pictureText,
      """
      picturetext, picture text, alt, alt text, alternative text, image text, image description, picture description, bildtext
      bildbeschreibung, alternativtext, texte alternatif, description de l'image, texto alternativo, descripcion de la imagen
      testo alternativo, descrizione dell'immagine, descricao da imagem, alternatieve tekst, tekst alternatywny, opis obrazu
      """
    ),
    (.pictureSize, "picturesize, picture size, image size, bildgrosse"),
    (.sound, "sound, audio, sound link, sound url, audio link, audio url, ton, klang, son, sonido, suono, som, geluid, dzwiek"),
    (.soundText, "soundtext, sound text, sound description, audio text, audio description, tonbeschreibung"),
    (
      .explanation,
      """
      explanation, answer explanation, feedback, reason, erklarung, begrundung, erlauterung, explication, explicacion, spiegazione, explicacao
      uitleg, toelichting, wyjasnienie, objasnienie, uzasadnienie
      """
    ),
    (.link, "link, links, url, web link, weblink, lien, enlace, collegamento, odnosnik"),
    (
      .type,
      """
      type, question type, typ, fragetyp, fragentyp, art der frage, type de question, tipo, tipo de pregunta, tipo di domanda, tipo de pergunta
      vraagtype, typ pytania
      """
    ),
    (.task(.kind), "kind, kind of question, question kind"),
    (.task(.least), "least, lowest, minimum"),
    (.task(.most), "most, highest, maximum"),
    (.task(.step), "step, steps"),
    (.task(.unit), "unit, units"),
    (.task(.within), "within"),
    (.task(.tolerance), "tolerance"),
    (.task(.words), "words, free words"),
    (.task(.partial), "partial, partial points"),
    (.task(.live), "live"),
    (.number, "no, nr, number, num, n, id, #, nummer, numero, numer, lp, position"),
  ]

  /// Names of ``ColumnName/seconds`` that also mean when a question is asked: the cells of the column say which is meant.
  static let clocks: Set<String> = ["time", "zeit", "temps", "tiempo", "tempo", "tijd", "czas"]

  /// Words for the difficulty of a question, as ``ColumnName/reduced(_:)`` makes them.
  private static let difficulties: [(Difficulty, String)] = [
    (.easy, "easy, leicht, einfach, facile, facil, makkelijk, gemakkelijk, latwe, latwy, latwa"),
    (.medium, "medium, mittel, mittelschwer, moyen, moyenne, medio, media, gemiddeld, srednie, sredni, srednia"),
    (.hard, "hard, difficult, schwer, schwierig, difficile, dificil, moeilijk, trudne, trudny, trudna"),
  ]

  /// The difficulty of a question, by a word in one of the languages.
  static func difficulty(_ text: String) -> Difficulty? {
    let word = ColumnName.reduced(text)
    return difficulties.first { $0.1.split(separator: ",").contains { String($0).trimmed == word } }?.0
  }

  /// Prefixes of the names of types of questions that a game cannot ask, or of which such a table does not say enough.
  private static let otherTypes = [
    "draw", "match", "order", "reorder", "slider", "puzzle", "essay", "numerical", "zuordnung", "reihenfolge",
  ]
  private static let polls = ["poll", "umfrage", "encuesta", "sondage", "sondaggio", "enquete", "ankieta"]

  /// Prefixes of the names of types of questions for a text.
  private static let textTypes = ["fill", "type answer", "type in", "short answer", "text answer", "luckentext"]
  /// Prefixes of the names of types of questions for words that are neither right nor wrong.
  private static let wordTypes = ["open", "word cloud", "wordcloud", "offen", "wortwolke"]

  /// Whether questions of this type ask for a text.
  static func isText(_ text: String) -> Bool { has(textTypes, text) }

  /// Whether questions of this type ask for words that are neither right nor wrong.
  static func isWords(_ text: String) -> Bool { has(wordTypes, text) }

  /// Whether questions of this type cannot be asked.
  static func isOtherType(_ text: String) -> Bool { has(otherTypes, text) }

  /// Whether a type is that of polls.
  static func isPoll(_ text: String) -> Bool { has(polls, text) }

  private static func has(_ prefixes: [String], _ text: String) -> Bool {
    let type = ColumnName.reduced(text)
    return prefixes.contains { type.utf8.starts(with: $0.utf8) }
  }
}
