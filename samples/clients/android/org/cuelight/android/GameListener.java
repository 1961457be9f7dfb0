package org.cuelight.android;

import androidx.media3.common.Metadata;
import androidx.media3.common.Player;
import androidx.media3.common.Timeline;
import androidx.media3.extractor.metadata.id3.TextInformationFrame;
import java.util.function.Consumer;
import org.cuelight.Game;

/**
 * Gives the metadata of a media3 player to a game, and the game's transitions to the app: JSON arrays, as `cuelight replay --json` has them.
 *
 * <p>Make it on the player's thread, with {@code player.addListener(listener)}, and call {@link #tick} a few times a second. The times of metadata and of the game are those of the current period.
 */
public final class GameListener implements Player.Listener {
  private final Player player;
  private final Game game;
  private final Consumer<String> show;

  public GameListener(Player player, Game game, Consumer<String> show) {
    this.player = player;
    this.game = game;
    this.show = show;
  }

  @Override
  public void onMetadata(Metadata metadata) {
    double time = metadata.presentationTimeUs / 1e6;
    for (int index = 0; index < metadata.length(); index++) {
      if (metadata.get(index) instanceof TextInformationFrame frame && frame.id.equals("TXXX")) {
        for (String value : frame.values) announce(game.frame(value, frame.description, time, now()));
      }
    }
  }

  @Override
  public void onPositionDiscontinuity(Player.PositionInfo before, Player.PositionInfo after, int reason) {
    if (before.periodIndex != after.periodIndex) {
      // An ad, or the programme after it.
      game.discontinuity(Double.NaN);
    } else if (reason == Player.DISCONTINUITY_REASON_SEEK) {
      announce(game.seek(now()));
    }
  }

  /** The player's clock goes on. */
  public void tick() {
    announce(game.advance(now()));
  }

  /** The viewer has touched an answer. Returns an object with outcome and transitions. */
  public String select(int answer) {
    return game.select(Integer.toString(answer), now());
  }

  /** The player's time in the current period, in seconds. */
  private double now() {
    long position = player.getCurrentPosition();
    Timeline timeline = player.getCurrentTimeline();
    if (timeline.isEmpty()) return position / 1e3;
    Timeline.Period period = timeline.getPeriod(player.getCurrentPeriodIndex(), new Timeline.Period());
    return (position - period.getPositionInWindowMs()) / 1e3;
  }

  private void announce(String transitions) {
    if (!transitions.isEmpty()) show.accept(transitions);
  }
}
