import Basics
import Testing

/// Numbers in the text format of Prometheus.
@Suite struct MetricsTextTests {
  @Test func text() {
    var text = MetricsText(prefix: "p_")
    text.add("a_total", .counter, "As.", 7)
    text.add("up", "Whether it comes.", isTrue: true)
    text.add("time_seconds", .gauge, "The time.", orUnknown: nil)
    text.add("nothing", .gauge, "Nothing.", by: "name", [])
    text.add("named", .gauge, "Names.", by: "name", [("a\"b\\c\nd", "1"), ("e", "2.5")])
    text.addHistogram("took_seconds", "How long it took.", buckets: [("0.1", 2), ("1.0", 3)], count: 5, sum: "4.5")
    #expect(
      text.text == #"""
        # HELP p_a_total As.
        # TYPE p_a_total counter
        p_a_total 7
        # HELP p_up Whether it comes.
        # TYPE p_up gauge
        p_up 1
        # HELP p_time_seconds The time.
        # TYPE p_time_seconds gauge
        p_time_seconds NaN
        # HELP p_named Names.
        # TYPE p_named gauge
        p_named{name="a\"b\\c\nd"} 1
        p_named{name="e"} 2.5
        # HELP p_took_seconds How long it took.
        # TYPE p_took_seconds histogram
        p_took_seconds_bucket{le="0.1"} 2
        p_took_seconds_bucket{le="1.0"} 3
        p_took_seconds_bucket{le="+Inf"} 5
        p_took_seconds_sum 4.5
        p_took_seconds_count 5

        """#)
  }

  /// The numbers of several streams: each name once, as Prometheus wants it.
  @Test func labels() {
    var text = MetricsText(prefix: "p_")
    for stream in ["a", "b\"c"] {
      text.labels = [("stream", stream)]
      text.add("up", "Whether it comes.", isTrue: stream == "a")
      text.add("outputs", .gauge, "Outputs.", by: "output", [("o", "1")])
      text.addHistogram("took_seconds", "How long it took.", buckets: [], count: 5, sum: "4.5")
    }
    text.labels = []
    text.add("all", .gauge, "All.", 2)
    #expect(
      text.text == #"""
        # HELP p_up Whether it comes.
        # TYPE p_up gauge
        p_up{stream="a"} 1
        p_up{stream="b\"c"} 0
        # HELP p_outputs Outputs.
        # TYPE p_outputs gauge
        p_outputs{stream="a",output="o"} 1
        p_outputs{stream="b\"c",output="o"} 1
        # HELP p_took_seconds How long it took.
        # TYPE p_took_seconds histogram
        p_took_seconds_bucket{stream="a",le="+Inf"} 5
        p_took_seconds_sum{stream="a"} 4.5
        p_took_seconds_count{stream="a"} 5
        p_took_seconds_bucket{stream="b\"c",le="+Inf"} 5
        p_took_seconds_sum{stream="b\"c"} 4.5
        p_took_seconds_count{stream="b\"c"} 5
        # HELP p_all All.
        # TYPE p_all gauge
        p_all 2

        """#)
  }
}
