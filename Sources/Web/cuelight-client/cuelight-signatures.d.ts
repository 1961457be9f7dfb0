import type { Game } from "./cuelight-client.js";

/**
 * Lets only events count whose signature is right: those of `stamp --sign` and `live --sign`. Call it before a player is attached; it gives the same game.
 *
 * `publicKey` is the Ed25519 key of the show's owner: its 32 bytes, or their base64. The page must get it from its owner, and not from the stream. The
 * browser checks signatures, on pages of https or localhost: Chromium from 137 on, Firefox from 129 on, and Safari from 17 on. Otherwise the
 * promise is rejected. What a tag changes is announced by events of the game, and not by what `tag` returns.
 */
export function requireSignatures(game: Game, publicKey: BufferSource | string): Promise<Game>;
