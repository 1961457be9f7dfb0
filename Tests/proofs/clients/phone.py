"""The sample for media3, compiled with stand-ins for what it uses of media3, and played on the JDK with frames as a player hands them over."""

import json

from proofs import wire
from proofs.processes import finished
from proofs.stream import Stream

# What the listener uses of androidx.media3, with its names and types.
STAND_INS = {
    "androidx/media3/common/Metadata.java": """
package androidx.media3.common;
public final class Metadata {
  public interface Entry {}
  public final long presentationTimeUs;
  private final Entry[] entries;
  public Metadata(long presentationTimeUs, Entry... entries) { this.presentationTimeUs = presentationTimeUs; this.entries = entries; }
  public int length() { return entries.length; }
  public Entry get(int index) { return entries[index]; }
}
""",
    "androidx/media3/common/Timeline.java": """
package androidx.media3.common;
public class Timeline {
  public static final class Period {
    long start;
    public long getPositionInWindowMs() { return start; }
  }
  public boolean isEmpty() { return false; }
  public Period getPeriod(int index, Period period) { period.start = 250; return period; }
}
""",
    "androidx/media3/common/Player.java": """
package androidx.media3.common;
public interface Player {
  int DISCONTINUITY_REASON_SEEK = 1;
  final class PositionInfo { public final int periodIndex; public PositionInfo(int periodIndex) { this.periodIndex = periodIndex; } }
  interface Listener {
    default void onMetadata(Metadata metadata) {}
    default void onPositionDiscontinuity(PositionInfo before, PositionInfo after, int reason) {}
  }
  long getCurrentPosition();
  Timeline getCurrentTimeline();
  int getCurrentPeriodIndex();
}
""",
    "androidx/media3/extractor/metadata/id3/TextInformationFrame.java": """
package androidx.media3.extractor.metadata.id3;
import java.util.List;
public final class TextInformationFrame implements androidx.media3.common.Metadata.Entry {
  public final String id, description;
  public final List<String> values;
  public TextInformationFrame(String id, String description, List<String> values) { this.id = id; this.description = description; this.values = values; }
}
""",
    "Phone.java": """
import androidx.media3.common.*;
import androidx.media3.extractor.metadata.id3.TextInformationFrame;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.cuelight.Game;
import org.cuelight.android.GameListener;

/** Plays frames: a line has microseconds, a description and a text, with tabs between them. */
final class Phone implements Player {
  private long position;
  public long getCurrentPosition() { return position + 250; }
  public Timeline getCurrentTimeline() { return new Timeline(); }
  public int getCurrentPeriodIndex() { return 0; }

  public static void main(String[] arguments) throws IOException {
    PrintStream output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    Phone phone = new Phone();
    try (Game game = new Game()) {
      GameListener listener = new GameListener(phone, game, output::println);
      BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line; (line = lines.readLine()) != null; ) {
        String[] parts = line.split("\\t", 3);
        long time = Long.parseLong(parts[0]);
        for (; phone.position + 100 < time / 1000; phone.position += 100) listener.tick();
        listener.onMetadata(new Metadata(time, new TextInformationFrame("TIT2", null, List.of("other")),
            new TextInformationFrame("TXXX", parts[1], List.of(parts[2]))));
      }
      for (int count = 0; count < 50; count++, phone.position += 100) listener.tick();
      listener.onPositionDiscontinuity(new PositionInfo(0), new PositionInfo(0), DISCONTINUITY_REASON_SEEK);
      System.err.println(listener.select(0));
    }
  }
}
""",
}


def sources(clients, folder):
    """The listener, the stand-ins and a program that plays, for the compiler."""
    for name, text in STAND_INS.items():
        path = folder / "media3" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.lstrip())
    return sorted((clients / "android").rglob("*.java")) + sorted((folder / "media3").rglob("*.java"))


def check(languages, path, transitions, lines_of, without_player):
    """A player hands over each frame of a stream a little early: the listener's transitions are those of `replay`, when their time comes."""
    stream = Stream(path.read_bytes())
    start = min(unit.pts for unit in stream.video)
    frames = [((tag.pts - start) * 100 // 9, tag.event["eventType"], wire.text_of(tag.payload)) for tag in stream.tags]
    text = "".join(f"{time}\t{kind}\t{value}\n" for time, kind, value in frames)
    done = finished(*languages.machine, "Phone", input=text, env=languages.environment)
    found = [without_player(line) for line in lines_of(done.stdout)]
    same = [{key: value for key, value in line.items() if key != "time"} for line in found]
    wanted = [{key: value for key, value in line.items() if key != "time"} for line in transitions]
    assert same == wanted, f"{[line['transition'] for line in found]} instead of {[line['transition'] for line in transitions]}"
    late = max(line["time"] - line["eventTime"] for line in found)
    assert late <= 0.2, f"a transition is {late} s late"
    assert json.loads(done.stderr)["outcome"] == "noQuestion" if done.stderr.startswith("{") else False, done.stderr
    return f"{len(frames)} frames of a player make the {len(found)} transitions of replay, none of them more than {late:.1f} s late"
