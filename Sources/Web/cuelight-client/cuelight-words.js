// The words of <cuelight-game>. Texts of questions are those of the stream.

/** A language: what it calls things. `multiple` and `order` are hints for questions of these kinds. */
const language = (game, soon, ended, failed, closed, right, wrong, rightAnswer, question, of, score, multiple, order) => ({
  game, soon, ended, failed, closed, right, wrong, multiple, order,
  rightAnswer: (answer) => `${rightAnswer} ${answer}`,
  question: (number, total) => (total ? `${question} ${number} ${of} ${total}` : `${question} ${number}`),
  score: (count, total) => score.replace("{count}", count).replace("{total}", total),
});

const LANGUAGES = {
  en: language("Game", "The show begins soon.", "The game is over.", "The game cannot be loaded.", "Time is up.", "Right!", "Wrong.",
    "Right answer:", "Question", "of", "{count} of {total} right", "Choose one or more answers.", "Choose the answers in their order."),
  de: language("Spiel", "Gleich geht es los.", "Das Spiel ist zu Ende.", "Das Spiel lässt sich nicht laden.", "Die Zeit ist um.", "Richtig!", "Falsch.",
    "Richtige Antwort:", "Frage", "von", "{count} von {total} richtig", "Wähle eine oder mehrere Antworten.", "Wähle die Antworten in ihrer Reihenfolge."),
  es: language("Juego", "El programa empieza pronto.", "El juego ha terminado.", "No se puede cargar el juego.", "Se acabó el tiempo.", "¡Correcto!",
    "Incorrecto.", "Respuesta correcta:", "Pregunta", "de", "{count} de {total} correctas", "Elige una o varias respuestas.",
    "Elige las respuestas en su orden."),
  fr: language("Jeu", "L’émission va commencer.", "Le jeu est terminé.", "Le jeu ne peut pas être chargé.", "Le temps est écoulé.", "Juste !", "Faux.",
    "Bonne réponse :", "Question", "sur", "{count} sur {total} justes", "Choisissez une ou plusieurs réponses.", "Choisissez les réponses dans l’ordre."),
  it: language("Gioco", "Lo spettacolo sta per iniziare.", "Il gioco è finito.", "Impossibile caricare il gioco.", "Tempo scaduto.", "Giusto!",
    "Sbagliato.", "Risposta giusta:", "Domanda", "di", "{count} di {total} giuste", "Scegli una o più risposte.", "Scegli le risposte in ordine."),
  nl: language("Spel", "De show begint zo.", "Het spel is afgelopen.", "Het spel kan niet worden geladen.", "De tijd is om.", "Goed!", "Fout.",
    "Goede antwoord:", "Vraag", "van", "{count} van {total} goed", "Kies een of meer antwoorden.", "Kies de antwoorden op volgorde."),
  pt: language("Jogo", "O programa começa em breve.", "O jogo terminou.", "Não é possível carregar o jogo.", "O tempo acabou.", "Certo!", "Errado.",
    "Resposta certa:", "Pergunta", "de", "{count} de {total} certas", "Escolha uma ou mais respostas.", "Escolha as respostas por ordem."),
};

/** The words of a language, or of English if it is not known. */
export function wordsFor(tag) {
  const code = String(tag).toLowerCase().split("-")[0];
  const known = code in LANGUAGES ? code : "en";
  return { ...LANGUAGES[known], language: known };
}
