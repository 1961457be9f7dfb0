import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.cuelight.CuelightException;
import org.cuelight.Game;
import org.cuelight.Reader;

/**
 * Plays the game of a stream, and prints its transitions: a line with a JSON array for each call that found some. With --items it prints what the
 * stream carries instead.
 */
public final class Replay {
  public static void main(String[] arguments) throws IOException {
    boolean items = arguments.length == 2 && arguments[0].equals("--items");
    PrintStream output = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    try (InputStream file = new FileInputStream(arguments[arguments.length - 1]);
        Reader reader = new Reader();
        Game game = new Game()) {
      byte[] buffer = new byte[65536];
      for (int count; (count = file.read(buffer)) > 0; ) {
        String found = reader.push(buffer, 0, count);
        print(output, items ? found : game.play(reader));
      }
      String found = reader.finish();
      print(output, items ? found : game.play(reader));
      if (!items) print(output, game.finish(Double.isNaN(reader.end()) ? 0 : reader.end()));
    } catch (CuelightException error) {
      System.err.println(error.name() + ": " + error.getMessage());
      System.exit(1);
    }
  }

  private static void print(PrintStream output, String json) {
    if (!json.isEmpty()) output.println(json);
  }
}
