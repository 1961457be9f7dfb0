"""Lets thousands join a game at the same time under one nickname, in all the ways to write it, and prints a line for each fact.

    python3 -m proofs.hosting.joins --server PROGRAM --clip CLIP --folder FOR_ITS_FILES [--joins 2000] [--threads 50] [--seed 1]
"""

import collections
import random
import shutil
import threading
import unicodedata
from concurrent.futures import ThreadPoolExecutor

from proofs.facts import prove_and_end
from proofs.hosting.game import Player, Server, write_quiz
from proofs.processes import wait_until

NICKNAME = "Ace Cooper"
CYRILLIC = str.maketrans("AaCcEeOoPp", "АаСсЕеОоРр")
GREEK = str.maketrans("AEOPop", "ΑΕΟΡορ")
LETTERS = "acecooper"
# Alphabets that look like the letters of the nickname, where they have them.
ALPHABETS = [
    "ᴀᴄᴇᴄᴏᴏᴘᴇʀ", "ɐɕəɕɵɵƥəɹ", "ⱥƈɇƈøøᵽɇɍ", "ᎪᏟᎬᏟooᏢᎬᏒ", "ꓮꓚꓰꓚꓳꓳꓑꓰꓣ", "ⲀⲤⲈⲤⲞⲞⲢⲈr", "a𐐽e𐐽𐐬𐐬per", "ᗩᑕᗴᑕooᑭᗴᖇ", "аϲеϲоореᴦ", "αceсօօреr", "ａｃｅｃｏｏｐｅｒ",
    "🅐🅒🅔🅒🅞🅞🅟🅔🅡", "🅰🅲🅴🅲🅾🅾🅿🅴🆁", "🇦🇨🇪🇨🇴🇴🇵🇪🇷", "ⒶⒸⒺⒸⓄⓄⓅⒺⓇ", "🄰🄲🄴🄲🄾🄾🄿🄴🅁"]
ZEROS = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) == "Nd" and unicodedata.decimal(chr(code)) == 0] + list("⓿○◯〇")
# Marks of other scripts, and of none.
MARKS = "\u0483\u05b0\u064b\u093c\u0e48\u1ab0\u1dc4\u20d2\u20dd\ufe26"
ZERO_WIDTH = "\u200b\u200c\u200d\u2060\ufeff\u00ad"
ACCENTS = "\u0300\u0301\u0302\u0303\u0308"
TAKEN, INVALID = "nickname-taken", "nickname-invalid"


def some_of(text, table, chance):
    """The text with some of the characters that a table has."""
    return "".join(letter.translate(table) if chance.random() < 0.5 else letter for letter in text)


def in_cases(text, chance):
    return "".join(chance.choice([letter.lower(), letter.upper()]) for letter in text)


def in_full_width(text, chance):
    return "".join(chr(ord(letter) + 0xFEE0) if "!" <= letter <= "~" and chance.random() < 0.5 else letter for letter in text)


def in_mathematical_letters(text, chance):
    def one(letter):
        if not letter.isascii() or not letter.isalpha() or chance.random() < 0.5:
            return letter
        return chr(0x1D400 + ord(letter) - ord("A")) if letter.isupper() else chr(0x1D41A + ord(letter) - ord("a"))

    return "".join(map(one, text))


def in_another_alphabet(text, chance):
    table = str.maketrans(dict(zip(LETTERS, chance.choice(ALPHABETS))))
    return "".join(letter.lower().translate(table) if chance.random() < 0.8 else letter for letter in text)


def with_zeros(text, chance):
    return "".join(chance.choice(ZEROS) if letter in "Oo" and chance.random() < 0.7 else letter for letter in text)


def with_strange_marks(text, chance):
    for _ in range(chance.randrange(1, 3)):
        place = chance.choice([index for index, letter in enumerate(text) if letter != " "])
        text = text[:place + 1] + chance.choice(MARKS) + text[place + 1:]
    return text


def with_accents(text, chance, form="NFD"):
    marked = "".join(letter + (chance.choice(ACCENTS) if letter.isalpha() and chance.random() < 0.3 else "") for letter in text)
    return unicodedata.normalize(form, marked)


def with_spaces(text, chance):
    """Blanks around and within it, or signs instead of them."""
    return " " * chance.randrange(3) + text.replace(" ", chance.choice(["", "  ", " ", "-", "_", ".", " . "])) + " " * chance.randrange(3)


def with_hidden(text, chance):
    place = chance.randrange(len(text) + 1)
    return text[:place] + chance.choice(ZERO_WIDTH) + text[place:]


def variant(chance):
    """The nickname, written in another way."""
    ways = [
        in_cases, lambda text, chance: some_of(text, CYRILLIC, chance), lambda text, chance: some_of(text, GREEK, chance), in_full_width,
        in_mathematical_letters, in_another_alphabet, with_zeros, with_strange_marks, with_accents, lambda text, chance: with_accents(text, chance, "NFC"), with_spaces]
    text = NICKNAME
    for way in chance.sample(ways, chance.randrange(3)):
        text = way(text, chance)
    return with_hidden(text, chance) if chance.random() < 0.1 else text


def join_at_once(server, players, threads):
    """Lets players join over some connections that begin at the same time; returns the answers."""
    barrier = threading.Barrier(threads)

    def some(share):
        with server.client() as client:
            client.get(server.path("state"))
            barrier.wait()
            return [(player, player.join(client, server)) for player in share]

    with ThreadPoolExecutor(threads) as pool:
        return [pair for pairs in pool.map(some, [players[index::threads] for index in range(threads)]) for pair in pairs]


def one_has_it(server, options):
    chance = random.Random(options.seed)
    players = [Player(variant(chance), chance) for _ in range(options.joins)]
    answers = join_at_once(server, players, options.threads)
    counts = collections.Counter((answer.status, answer.kind) for _, answer in answers)
    wrong = [(player.nickname, answer) for player, answer in answers if (answer.status, answer.kind) not in ((201, None), (409, TAKEN), (422, INVALID))]
    assert not wrong, f"{len(wrong)} other answers: {wrong[:3]}"
    new = [player.nickname for player, answer in answers if answer.status == 201]
    assert len(new) == 1, f"{len(new)} players have it: {[ascii(name) for name in new[:8]]}"
    visible = [ascii(player.nickname) for player, answer in answers if answer.status == 422 and not any(sign in player.nickname for sign in ZERO_WIDTH)]
    assert not visible, f"{len(visible)} are called invalid that only look like it: {visible[:5]}"
    assert server.state()["players"] == 1, f"there are {server.state()['players']} players"
    spellings = len({player.nickname for player in players})
    return f"{len(players)} joins in {spellings} spellings over {options.threads} connections: one 201, {counts[409, TAKEN]} times 409, {counts[422, INVALID]} times 422"


def suggestions_hold(server, options):
    """Who was refused takes one of the nicknames that are offered."""
    chance = random.Random(options.seed + 1)
    before, count = server.state()["players"], 0
    with server.client() as client:
        for _ in range(100):
            player = Player(variant(chance), chance)
            refused = player.join(client, server)
            if refused.status == 422:
                continue
            offered = refused.object["suggestions"]
            assert len(offered) == 3, f"{player.nickname} is taken, and {offered} are offered"
            for nickname in chance.sample(offered, 2):
                other = Player(nickname, chance)
                answer = other.join(client, server)
                assert answer.status == 201, f"{ascii(nickname)} was offered: {answer}"
                count += 1
    assert server.state()["players"] == before + count
    return f"{count} nicknames that were offered were free"


def one_client_is_one_player(server, options):
    """The same UUID at the same time from many tabs."""
    chance = random.Random(options.seed + 2)
    first, count = Player("Tabby", chance), 200
    tabs = [Player("Tabby", chance) for _ in range(count)]
    for number, tab in enumerate(tabs):
        tab.uuid = first.uuid.upper() if number % 2 else first.uuid
    before = server.state()["players"]
    statuses = collections.Counter(answer.status for _, answer in join_at_once(server, tabs, options.threads))
    assert statuses == {201: 1, 200: count - 1}, f"statuses {dict(statuses)}"
    assert len({tab.number for tab in tabs}) == 1 and server.state()["players"] == before + 1, "the tabs are several players"
    first.nickname = "Other"
    with server.client() as client:
        other = first.join(client, server)
        # Until the show begins, a client may change the nickname, and stays the same player.
        assert other.status == 200 and other.object["player"] == tabs[0].number, f"another nickname of the same client: {other}"
        again = Player("Tabby", chance).join(client, server)
        assert again.status == 201, f"the old nickname is not free: {again}"
    return f"{count} tabs are one player, whose old nickname is free after a change"


def limits_hold(options):
    """An address may let fifty join at once, and then ten a minute; what a stranger says of its address counts for nothing."""
    folder = options.folder
    chance = random.Random(options.seed + 3)

    def joins(server, count, **headers):
        with server.client() as client:
            body = [{"nickname": f"Crowd {chance.getrandbits(40):x}"} for _ in range(count)]
            return [client.call("PUT", server.path(f"players/{Player('', chance).uuid}"), nickname, headers) for nickname in body]

    with serve(options, "limits", "--trusted-proxy", "127.0.0.1") as server:
        answers = joins(server, 60, **{"X-Forwarded-For": "203.0.113.7"})
        counts = collections.Counter(answer.status for answer in answers)
        assert counts == {201: 50, 429: 10}, f"60 joins of an address: {dict(counts)}"
        assert answers[-1].kind == "rate-limited" and 1 <= int(answers[-1].headers["retry-after"]) <= 6, answers[-1].headers
        # The last hop that is no proxy counts, whatever the client has written before it.
        spoofed = joins(server, 5, **{"X-Forwarded-For": "198.51.100.1, 203.0.113.7"})
        assert {answer.status for answer in spoofed} == {429}, f"with a made-up first hop: {[answer.status for answer in spoofed]}"
        assert joins(server, 1, **{"X-Forwarded-For": "203.0.113.8"})[0].status == 201, "another address has to wait, too"
    shutil.rmtree(folder / "limits")
    return "50 at once, then 429 with Retry-After; the last hop before a trusted proxy counts"


def serve(options, name, *arguments):
    return Server(
        options.server, options.folder / name, "--input", options.clip, "--loop", "--quiz", options.folder / "quiz.json", "--hosted", *arguments,
        log=options.folder / "server.log")


def run(lines, options):
    write_quiz(options.folder / "quiz.json", 1)
    with serve(options, "data") as server:
        wait_until(server.is_ready, 10, "the input comes")
        lines.prove_all("joins", {"one nickname": one_has_it, "suggestions": suggestions_hold, "tabs": one_client_is_one_player}, server, options)
    lines.prove("joins, limits", limits_hold, options)


if __name__ == "__main__":
    prove_and_end(run, "server", "clip", joins=2000, threads=50, seed=1)
