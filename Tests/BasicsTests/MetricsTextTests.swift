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
}
