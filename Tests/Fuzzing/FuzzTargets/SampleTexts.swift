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
}
