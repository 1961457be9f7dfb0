/// Texts to start from.
enum SampleTexts {
  static let media = """
    #EXTM3U
    #EXT-X-VERSION:9
    #EXT-X-TARGETDURATION:6
    #EXT-X-MEDIA-SEQUENCE:7
    #EXT-X-DISCONTINUITY-SEQUENCE:2
    #EXT-X-PLAYLIST-TYPE:VOD
    #EXT-X-START:TIME-OFFSET=-1.5,PRECISE=YES
    #EXT-X-DEFINE:NAME="dir",VALUE="a/b"
    #EXT-X-KEY:METHOD=AES-128,URI="key",IV=0x00000000000000000000000000000001
    #EXT-X-MAP:URI="map.mp4",BYTERANGE="720@0"
    #EXT-X-PROGRAM-DATE-TIME:2026-11-20T20:00:00.000+01:00
    #EXT-X-DATERANGE:ID="7",START-DATE="2026-11-20T20:00:00Z",DURATION=1.5,X-COM-CUELIGHT-EVENT=0x7B7D
    #EXTINF:5.96,title
    #EXT-X-BYTERANGE:1000@200
    {$dir}/0.m4s
    #EXT-X-DISCONTINUITY
    #EXT-X-KEY:METHOD=NONE
    #EXT-X-GAP
    #EXTINF:4,
    ../1.m4s?q#f
    #EXT-X-ENDLIST

    """

  static let live = """
    #EXTM3U
    #EXT-X-TARGETDURATION:2
    #EXT-X-MEDIA-SEQUENCE:18446744073709551610
    #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://k",KEYFORMAT="com.apple.streamingkeydelivery",KEYFORMATVERSIONS="1"
    #EXTINF:2,
    0.ts
    #EXTINF:1.999999999,
    https://cdn.example/1.ts

    """

  static let multivariant = """
    #EXTM3U
    #EXT-X-INDEPENDENT-SEGMENTS
    #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",DEFAULT=YES,AUTOSELECT=YES,LANGUAGE="en",CHANNELS="2",URI="sound.m3u8"
    #EXT-X-STREAM-INF:BANDWIDTH=800000,AVERAGE-BANDWIDTH=700000,CODECS="avc1.64001F,mp4a.40.2",RESOLUTION=1280x720,FRAME-RATE=25,AUDIO="a"
    720p.m3u8
    #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=80000,URI="frames.m3u8"
    #EXT-X-SESSION-DATA:DATA-ID="com.example.title",VALUE="Friday"
    #EXT-X-SESSION-KEY:METHOD=AES-128,URI="key"

    """

  /// Playlists with slips that are read all the same.
  static let slips = [
    """
    #EXTM3U
    #EXT-X-VERSION: 3
    #EXT-X-TARGETDURATION:5.5
    #EXT-X-PLAYLIST-TYPE:vod
    #EXT-X-START:PRECISE=YES
    #EXT-X-DATERANGE:ID=a,START-DATE="now",END-ON-NEXT="yes",
    #EXT-X-PROGRAM-DATE-TIME:yesterday
    #EXTINF:.360,
     a.ts

    """,
    """
    #EXTM3U
    #EXT-X-TARGETDURATION:5
    #EXT-X-MEDIA:TYPE="AUDIO",GROUP-ID=a,FORCED="NO",,NAME=,CHANNELS="2" ,
    #EXT-X-STREAM-INF:RESOLUTION=1280X720,FRAME-RATE=many,AUDIO="a",AUDIO="b"
    720p.m3u8

    """,
  ]

  static let custom = """
    poll
    {"eventType":"poll","guid":"a","game":"g","sequence":2,"at":1.5,"copy":4,"copies":3,"age":0.25,"data":{"x":[1,2.50,null]},"crc2":1}
    """

  static let sheet = """
    game: quick-round
    title: Quick Round
    defaults: { allottedTime: 5 }
    cues:
      - { at: 1s, event: startGame }
      - { at: 2s, event: askQuestion, question: Which metal is liquid?, answers: [Iron, Mercury, Gold], correct: Mercury }
      - { at: 4, event: adjustTime, allottedTime: 6 }
      - at: 00:08.5
        event: showResults
        counts: [31, 402, 67]
      - { at: 9, event: periodicInfo, viewers: 1204 }
      - { at: 9.5, event: poll, currentFor: 3s, colour: "red" }
      - { at: 18s, event: endGame }

    """

  static let jsonSheet = """
    {"game": "g", "cues": [{"at": 1, "event": "startGame", "title": "\\ud83d\\ude00", "totalQuestions": 1},
     {"at": "1:02", "event": "askQuestion", "question": "q", "answers": ["a", "b"], "correct": 2, "allottedTime": 5}]}
    """

  static let aliases = """
    game: &g quick
    cues:
      - &first { at: 1s, event: poll, a: &list [1, [2]], b: *list, c: *g }
      - *first

    """

  static let quiz = """
    id: friday
    title: Friday Night
    questions:
      - question: Which planet has the shortest day?
        answers: [Earth, Jupiter, "1.10", Yes]
        correct: Jupiter
        points: [0, 2, -1, 0]
        link: https://example.com/jupiter
      - { question: "R&D \\u00e9?", answers: ["True", "False"], correctAnswer: 1, difficulty: easy, category: Art, explanation: It is. }

    """

  static let quizTable = """
    question,correct,wrong,wrong,category,difficulty,points,explanation,link
    "Which, or ""what""?",a,b,c,Art,hard,2 -1 0,Because.,https://example.com
    Is it?,True,False,,,,,,

    """

  /// As a German Excel saves it, with options and the number of the right one.
  static let germanTable = "sep=;\r\nFrage;A;B;C;Richtige Antwort;Zeit\r\n\"Wer?\";Ada;\"B;b\";Cy;2;20\r\nWie viel?;1,5;2;3;C;5\r\n"

  static let gift = """
    // A comment.
    $CATEGORY: $course$/top/Science

    ::Q1:: Who's buried in Grant's \\{tomb\\}? {
      =Grant#Right\\: he is.
      ~no one#Wrong.
      ~[html]<p>Mary &amp; Jefferson</p>
    }

    The sun \\= a star. {TRUE#Look again####Stars shine.}

    Two plus {~%-50%three =%100%four ~five} is even.

    """

  static let aiken = "What is the capital\nof France?\nA. Lyon\nB) Paris\nANSWER: B\n\nIs it so?\nA. True\nB. False\nANSWER: A\n"

  static let worksheet = """
    <worksheet><sheetData><row r="1"><c t="str"><v>question</v></c><c t="str"><v>correct</v></c><c t="str"><v>wrong</v></c></row>
    <row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" s="0"><v>44000.5</v></c><c r="C3" t="b"><v>1</v></c></row></sheetData></worksheet>
    """

  static let openDocument = """
    <d xmlns:t="t" xmlns:x="x"><t:table><t:table-row><t:table-cell t:number-columns-repeated="2"><x:p>Q<x:s x:c="2"/></x:p></t:table-cell>
    <t:table-cell><x:p>a</x:p></t:table-cell></t:table-row></t:table></d>
    """

  /// Times of all kinds.
  static let clockedSheet = """
    game: g
    title: T
    timeOfDay: 20:15:00
    timecode: { rate: 25, start: 10:00:00:00 }
    cues:
      - { at: 20:15:01, event: startGame }
      - { at: 10:00:02:12, event: askQuestion, question: Is it #1?, answers: [Yes, No], correct: Yes }
      - { at: +1.5s, event: adjustTime, allottedTime: 5 }
      - { at: timeUp + 2s, event: showResults }
      - { at: next - 1, event: reveal }
      - { at: 60s, event: endGame }

    """

  static let dropFrameSheet =
    "{\"game\":\"g\",\"timecode\":{\"rate\":29.97},\"cues\":[{\"at\":\"00:01:00;02\",\"event\":\"a\"},{\"at\":\"previous\",\"event\":\"b\"}]}"

  static let plainTable = "Who?,ann,ben\r\n\"Which\ntwo lines?\" , a;b,\tc\r\n"

  /// An answer of Open Trivia DB in HTML.
  static let trivia = """
    {"response_code":0,"token":"f00d","results":[{"type":"boolean","difficulty":"hard","category":"Art","question":"R&amp;D &copy 2026?",
    "correct_answer":"False","incorrect_answers":["True"]},{"type":"multiple","difficulty":"easy","category":"Sports",
    "question":"Who&#039;s &lt;first&gt;?","correct_answer":"Anna","incorrect_answers":["Bert","Carl","&Eacute;mile"]}]}
    """

  static let percentTrivia = """
    {"response_code":0,"results":[{"type":"multiple","difficulty":"easy","category":"Science%3A%20Computers","question":"What%20is%2B%3F",
    "correct_answer":"A%2FB","incorrect_answers":["B%C3%A9","C","D"]}]}
    """

  static let base64Trivia = """
    {"response_code":0,"results":[{"type":"bXVsdGlwbGU=","difficulty":"ZWFzeQ==","category":"QXJ0","question":"V2hvPw==",
    "correct_answer":"QQ==","incorrect_answers":["Qg==","Qw=="]}]}
    """

  static let encoded = [
    "R&amp;D &copy 2026 &notit; &#x80;&#0;&#1114112; &CounterClockwiseContourIntegral; A%20B%C3%A9+c %zz",
    "QQ==", "Qg", "\u{1F600}&\u{0}\u{85}",
  ]

  static let audience = """
    {"player":"ann"}
    {"player":"ben","joinedAt":12.5}
    {"player":"ann","question":1,"answer":1,"time":1.25}
    {"player":"Ben","question":"friday-ask","answer":0,"time":1}
    {"player":"cat","question":1,"answer":1,"time":0.9}
    {"player":"cat","question":1,"answer":0,"time":3e0}

    """
}
