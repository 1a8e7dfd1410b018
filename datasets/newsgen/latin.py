"""Latin script: English function words and common news words, and behind them some 60,000 invented word forms.

Every sentence, name, place and publisher comes from the tables below; none is taken from a real page.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from newsgen.language import Script, capitalise, draw, split_words

__all__ = ["ADJECTIVES", "ADVERBS", "FIRST", "LATIN", "NOUNS", "VERBS", "build_classes"]

NOUNS = split_words("""
government minister company city report plan council court market project programme group region case
budget bank school hospital law price vote election tax deal office leader party union team game season
player fund study system service network contract bridge harbour border river storm farm factory airport
railway agency committee board decision proposal review statement meeting campaign strike inquiry
tribunal auction merger shortage lawyer teacher driver village island coast mayor judge engineer
investor customer reporter neighbour voter airline station library museum theatre orchestra garden
forest valley mountain lake road street house family parent student worker employer trade industry
export import currency rate loan debt pension wage product brand retailer supplier machine engine
vehicle battery cable tower tunnel pipeline reactor grid forecast flood drought harvest fishery species
disease vaccine patient doctor nurse clinic trial appeal verdict sentence prison charter treaty embassy
delegation summit coalition parliament chamber senate campaigner candidate ballot referendum poll survey
index record figure quarter decade morning evening weekend anniversary festival exhibition novel film
song stage match league final coach defender goal injury victory defeat title question answer reason
result effect change risk chance effort attempt measure step rule limit condition demand concern warning
threat promise offer claim charge detail document letter photograph""")
VERBS = split_words("""
announce approve reject order launch delay support oppose review change limit extend reduce question
confirm suspend welcome discuss replace cover visit demand resist repair finance inspect close
open raise remove offer expand protect record publish move return defend address adopt alter answer
appoint assess avoid back block collect compare complete consider criticise describe develop dismiss
double encourage examine explain explore follow halt handle help ignore import improve include increase
introduce join lower manage measure mention monitor negotiate note obtain operate outline own pass place
praise predict prepare present press produce promise promote propose provide pursue receive recommend
recover reform release remember renew report request require rescue resolve respect restore restrict
reveal reward rule secure select serve settle share shape sign strengthen study target test trace train
treat trust unveil urge use value visit warn watch weaken""")
ADJECTIVES = split_words("""
public local national new former regional private senior recent early final joint foreign federal major
rural coastal northern southern temporary permanent voluntary costly ambitious secret annual weekly
disputed unusual empty old western eastern modest main able basic bright broad careful central certain
cheap clear cold common complex critical current daily deep direct domestic double dry electric equal
external fair familiar fast financial formal free fresh full general global grand green heavy historic
human important independent industrial internal large late legal limited low medical military natural
necessary normal official open original ordinary patient popular powerful previous primary prominent
proper quiet rapid ready real recent regular remote rich safe serious severe sharp short similar simple
single slow small social solid special stable strong successful sudden thin urban urgent useful usual
vast visible weak wide young""")
ADVERBS = split_words("quickly quietly formally briefly largely openly barely sharply widely recently finally partly")
ROLES = split_words("""
spokeswoman spokesman director economist resident professor secretary adviser negotiator historian
shopkeeper farmer""")

ONSETS = split_words("""
b c d f g h l m n p r s t v w b d l m n p r s t k j br cl cr dr fl fr gr pl pr sh sl st tr ch th""")
VOWELS = split_words("a e i o u a e i o a e i o ai ea oa ou")
INNER = ["", "", "", "", "n", "r", "l", "s", "m"]
CODAS = ["n", "r", "l", "s", "t", "m", "d", "nd", "nt", "st", "rk", "lt", "ck", "rn", "p", "g", "ll", "w"]
ENDINGS = {
    "nouns": ["", "", "", "er", "or", "ment", "ation", "ity", "ness", "age", "ism", "ance", "ship", "let", "ard"],
    "verbs": ["", "", "ate", "ise", "ify", "er"],
    "adjectives": ["al", "ous", "ive", "ic", "ary", "ent", "ish", "able", "ern", "ed"],
}
FIRST = split_words("""
Marla Ines Tobin Aldo Petra Hollis Wren Dario Selma Jory Anneke Lorne Mirela Caspian Odette Rufus Tamsin
Emeka Yara Bram Leonie Osric Pia Halvard Zora Quill Nadia Ferris Idris Maud Silvan Greta""")
PLACE_ENDINGS = ["mouth", "ford", "ham", "wick", "by", "stead", "field", "port", "haven", "burgh", "dale", "ton"]
MONTHS = tuple(split_words("January February March April May June July August September October November December"))
WEEKDAYS = tuple(split_words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"))
#: What chance would spell in some of 60,000 words, and a demo should not.
AVOIDED = ("shit", "cunt", "fag", "nig", "rape", "slut", "cock", "dick")
SMALL = split_words("two three four five six seven eight nine ten eleven twelve fifteen twenty thirty")


def _invent_word(rng: Random, syllables: int) -> str:
    inner = [draw(rng, ONSETS) + draw(rng, VOWELS) + draw(rng, INNER) for _ in range(syllables - 1)]
    return "".join(inner) + draw(rng, ONSETS) + draw(rng, VOWELS) + draw(rng, CODAS)


def _invent_words(rng: Random, count: int, known: Sequence[str], endings: Sequence[str]) -> list[str]:
    """`known` and invented words behind them, all different, in rank order; rarer words are longer, as everywhere."""
    words = dict.fromkeys(known)
    while len(words) < count:
        ending = draw(rng, endings)
        syllables = 1 + (rng.random() < 0.35 + 0.4 * len(words) / count) + (not ending and rng.random() < 0.5)
        word = _invent_word(rng, syllables) + ending
        if not any(part in word for part in AVOIDED):
            words[word] = None
    return list(words)


def _plural(noun: str) -> str:
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def _past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "ed"


def _with_article(word: str) -> str:
    return ("an " if word[0] in "aeiou" else "a ") + word


def build_lexicon(rng: Random) -> Mapping[str, Sequence[str]]:
    """Ranked words of each class of the grammar."""
    nouns = _invent_words(rng, 14_000, NOUNS, ENDINGS["nouns"])
    verbs = _invent_words(rng, 6_000, VERBS, ENDINGS["verbs"])
    adjectives = _invent_words(rng, 8_000, ADJECTIVES, ENDINGS["adjectives"])
    stems = _invent_words(rng, 600, [], [""])
    places = [capitalise(stem) + draw(rng, PLACE_ENDINGS) for stem in stems[:250]]
    surnames = [capitalise(stem) for stem in stems[250:]]
    people = [(draw(rng, FIRST), draw(rng, surnames)) for _ in range(3_000)]
    return build_classes(
        nouns=nouns,
        verbs=verbs,
        adjectives=adjectives,
        adverbs=ADVERBS + [adjective + "ly" for adjective in adjectives[len(ADJECTIVES) : 2_000]],
        topics=nouns[300:],
        people=people,
        places=places,
        trusts=[capitalise(word) for word in stems[:200]],
    )


def build_classes(
    *,
    nouns: Sequence[str],
    verbs: Sequence[str],
    adjectives: Sequence[str],
    adverbs: Sequence[str],
    topics: Sequence[str],
    people: Sequence[tuple[str, str]],
    places: Sequence[str],
    trusts: Sequence[str],
) -> Mapping[str, Sequence[str]]:
    """The classes of the grammar, from ranked words."""
    numbers = SMALL + [str(n) for n in range(11, 100)] + [f"{n * 100:,}" for n in range(2, 400)]
    return {
        "nouns": nouns,
        "n": nouns,
        "ns": [_plural(noun) for noun in nouns],
        "an": [_with_article(noun) for noun in nouns],
        "v": verbs,
        "vd": [_past(verb) for verb in verbs],
        "vg": [(verb[:-1] if verb.endswith("e") else verb) + "ing" for verb in verbs],
        "adj": adjectives,
        "aadj": [_with_article(adjective) for adjective in adjectives],
        "adv": adverbs,
        "names": [f"{first} {last}|{last}" for first, last in people],
        "places": places,
        "topics": topics,
        "role": ROLES,
        "arole": [_with_article(role) for role in ROLES],
        "num": numbers,
        "money": [f"${n / 10:.1f} {unit}" for n in range(11, 400, 3) for unit in ("million", "billion")],
        "pct": [f"{n / 10:.1f} percent" for n in range(3, 400)] + [f"{n} percent" for n in range(2, 90)],
        "day": WEEKDAYS,
        "date": [f"{month} {day}" for day in range(1, 29) for month in MONTHS],
        "month": MONTHS,
        "year": [str(2024 - back) for back in range(1, 60)],
        "org": [f"{trust} {kind}" for trust in trusts for kind in ("Institute", "Trust", "Group", "Bank")],
    }


IDIOMS = (
    "according to people familiar with the matter",
    "did not immediately respond to a request for comment",
    "on condition of anonymity",
    "it remains to be seen whether",
    "as well as the",
    "in the wake of the",
    "for the first time since",
    "at the end of the",
    "as a result of the",
    "on the other hand",
)

# Plain sentences six times over, so that each of the set phrases below occurs in one document of five or six.
PLAIN = (
    "{NP} {VP}.",
    "{NP} {VP}.",
    "{NP} {VP} {PP}.",
    "{NP} {VP}, {SUB}.",
    "{LEAD}, {NP} {VP}.",
    "{LEAD}, {NP} {VP} {PP}.",
    "“{NP} {VP},” {SAY}.",
    "“{NP} {VP} {PP},” {SAY}. “{NP} {VP}.”",
    "“We <v> {NP}, and {NP} {VP},” <P> said.",
    "<P> said that {NP} {VP}.",
    "<P>, <arole> from <Q>, said {NP} {VP}.",
    "<P>, <arole> at <org>, told reporters that {NP} {VP} {PP}.",
    "But {NP} {VP}, and {NP} {VP}.",
    "The <n> of the <n> {VP}.",
    "The <T> {VP}, {SUB}.",
    "About <num> <ns> {VP} {PP}.",
    "The <n> rose <pct> in <month>, while the <n> fell to <money>.",
    "It was <aadj> <n>, and {NP} {VP}.",
    "{NP} {VP}, <P> said on <day>.",
    "{NP} <vd> <money> for the <adj> <n> {PP}.",
    "Will {NP} <v> {NP}?",
)
GRAMMAR: dict[str, tuple[str, ...]] = {
    "S": (
        *PLAIN * 6,
        "<^arole> for the <org> did not immediately respond to a request for comment.",
        "Yet on the other hand, {NP} {VP}.",
        "For now, it remains to be seen whether {NP} {VP}.",
        "The <role>, who spoke on condition of anonymity, said {NP} {VP}.",
    ),
    "NP": (
        "the <n>",
        "the <n>",
        "the <adj> <n>",
        "the <adj> <n>",
        "<an>",
        "<aadj> <n>",
        "<ns>",
        "<adj> <ns>",
        "the <T>",
        "the <T>’s <n>",
        "the <n> of the <n>",
        "the <ns> of <Q>",
        "<P>",
        "<P>’s <n>",
        "<num> <ns>",
        "more than <num> <ns>",
        "its <n>",
        "their <adj> <ns>",
        "the <org>",
        "some of the <ns>",
        "the <n> and the <n>",
        "the <n>, as well as the <ns>",
        "{NPS} that <vd> {NP}",
    ),
    "NPS": ("the <n>", "the <adj> <n>", "<an>", "<aadj> <n>", "<arole>", "this <n>"),
    "VP": (
        "<vd> the <n>",
        "<vd> {NP}",
        "<vd> {NP}",
        "<vd> {NP} {PP}",
        "<adv> <vd> {NP}",
        "had <vd> {NP}",
        "had been <vd> {PP}",
        "will <v> {NP}",
        "will <v> {NP} {PP}",
        "could <v> {NP}",
        "would have to <v> {NP}",
        "did not <v> {NP}",
        "began <vg> {NP}",
        "kept <vg> {NP} {PP}",
        "failed to <v> {NP}",
        "may <v> {NP} {PP}",
    ),
    "PP": (
        "in <Q>",
        "in the <n>",
        "on <day>",
        "on <date>",
        "of the <adj> <n>",
        "after the <T>",
        "with {NP}",
        "for <num> <ns>",
        "by <pct>",
        "from the <adj> <n>",
        "during the <n>",
        "under the <adj> <n>",
        "near <Q>",
        "to the <n>",
        "at the <n> of <Q>",
        "last <day>",
        "in the wake of the <T>",
        "for the first time since <year>",
        "at the end of the <n>",
        "as a result of the <n>",
    ),
    "SUB": (
        "while {NP} {VP}",
        "because {NP} {VP}",
        "although {NP} {VP}",
        "which <vd> {NP}",
        "a move that <vd> {NP}",
        "and {NP} {VP}",
        "<vg> {NP} {PP}",
        "according to {NP}",
        "according to people familiar with the matter",
    ),
    "LEAD": (
        "On <day>",
        "In <year>",
        "At the time",
        "In <aadj> <n> on <day>",
        "Under the <adj> <n>",
        "After {NP} <vd> {NP}",
        "In <Q>",
        "For <num> <ns>",
        "As the <n> <vd>",
        "Earlier in <month>",
    ),
    "SAY": ("<P> said", "said <P>", "said <P>, <arole>", "<P> told the <org>", "<arole> said", "<P> wrote on <day>"),
    "HEADLINE": (
        "<^adj> <n> <vd> <adj> <n>",
        "<Q> <n> to <v> <T>",
        "<P> <vd> <n> over <T>",
        "<^ns> <v> <n> as <n> <vd>",
        "Why the <T> <vd> <Q>",
        "<num> <ns> <vd> in <Q> <n>",
        "<^n> of <Q> <vd> after <n>",
        "How <P> <vd> the <adj> <n>",
        "<^adj> <ns>: what the <T> <vd>",
    ),
    "CAPTION": (
        "<P> at the <n> in <Q> on <date>, <year>.",
        "<^ns> outside the <n> of <Q>, <date>.",
        "The <adj> <n> near <Q>, <vd> in <year>.",
        "<P> and <P> during <aadj> <n> in <Q>.",
    ),
}

# Notation of the wordings below.  {a|b|c}: one of them, settled for each source; $paper, $PAPER, $site: the publisher;
# <slot>: a part that changes with the document but belongs to the template; [part]: text of the document itself,
# "dynamic"; ~n ~ns ~adj …: a word of that class, settled for each source.
BOILERPLATE = {
    "stamp": (
        "{Story|Permanent} link | <number> replies | Published on: <date_long>",
        "{Filed|Posted} <date_long> at <time> | $paper story no. <count>",
        "$paper | {First printed|Put up} <date_long>, <time>",
        "Dated <date_long>. {Seen by|Read by} <count> readers of $paper",
    ),
    "reading": (
        "<few> min read",
        "Listen to this {story|article} (<clock>)",
        "{Reading|Listening} time: <few> minutes",
    ),
    "dateline": ("[city] ([agency]) —",),
    "newsletter": (
        "Sign up for {the Morning Tide|the Lamp|First Bell}, the {free|weekday} letter {from|by} $paper,"
        " {sent|posted} at <time>.",
        "{Our editors|The night desk} will send you {the Short List|the Long Table|Five Things} every"
        " {weekday|morning}: join <count> readers of $paper at <url>",
        "{Start|End} the day with $paper. Our {digest|bulletin} reaches your inbox at <time>, and you"
        " can leave it at any time.",
    ),
    "app": (
        "TAP HERE: THE APP OF $PAPER",
        "{GET|FETCH} $PAPER ON YOUR {PHONE|TABLET}",
        "NEWS AS IT BREAKS, IN THE APP OF $PAPER, <price>",
    ),
    "player": (
        "This {clip|video} cannot be {shown|played} in your browser",
        "The $paper player needs {a newer browser|scripts to be switched on}",
        "{Sound|Picture} not loading? {Reload|Refresh} the $paper player (<clock>)",
    ),
    "more": ("(MORE: [headline])", "(READ IN $PAPER: [headline])", "(SEE ALSO: [headline])"),
    "caption": (
        "{ARCHIVE PICTURE|FILE IMAGE}: [caption] $PAPER / [name]{| / Pool| / Handout}",
        "{Enlarge|Show larger} picture [caption] [name] for $paper",
    ),
    "also": ("{Also in|More from} $paper: [headline]", "From our {archive|back pages}: [headline]"),
    "campaign": (
        "{Ballot|Vote} <year>: follow the {count|results} with $paper at <url>",
        "{Winter|Harvest} appeal: {give what you can|every coin helps}, says $paper. <url>",
    ),
    "signoff": ("($site/[initials])", "— [initials], $paper desk"),
    "credit": (
        "{Contributing|With reporting by}: [names]",
        "{Additional reporting|Edited in $site} by: [names]",
    ),
    "reporting": (
        "[names] contributed to this {report|story} {for|from the newsroom of} $paper.",
        "[names] in [city] added to this {report|article} for $paper.",
    ),
    "contact": (
        "{Write to|Send tips to} {the newsroom|the editors} at <email> or {call|ring} <phone>.",
        "The {writer|reporter} of this {story|article} can be reached at <email>.",
    ),
    "age": ("This {story|article} in $paper is more than <number> years old.",),
    "corrections": (
        "{Spotted a mistake?|Something wrong?} The {readers’|corrections} editor of $paper is at <url>",
        "$paper {mends|corrects} its errors in the open: <url>",
    ),
    "related": ("{Related in|More stories from} $paper[headlines]", "{Read|Turn to} next[headlines]"),
    "comments": (
        "Comments(<number>) | {Share|E-mail} | Print",
        "<number> readers have {written|answered}. {Log in|Join} to {reply|write back}.",
        "{Please sign|Sign} in to leave a {reply|note} in $paper. Replies(<number>)",
    ),
    "copyright": (
        "© <year> $paper. {No part of this page may be reprinted without leave.|All pages are ours.}",
        "Copyright <year> $paper {Press|Media House}. {Reprints|Licences}: <url>",
    ),
}

EXTRAS = (
    ("between", "More from the ~adj ~n desk of $paper: <url>"),
    ("between", "Our ~n guide: everything about ~ns and ~ns, last checked on <date_iso>"),
    ("between", "JOIN THE ~N CLUB AND SAVE <percent> ON ~NS"),
    ("inline", "(~N WATCH: <number> ~ns)"),
    ("inline", "Tap the ~adj ~n to hear it"),
    ("tail", "Sponsored by ~N and ~N: ~ns for every ~n"),
    ("tail", "Has the ~n been ~vd enough? <count> votes so far, poll closes at <time>"),
    ("head", "~N | ~NS | <date_long>"),
    ("tail", "~N bulletin: write to <email> with the word ~n"),
    ("between", "~N series, part <number>: ~adj ~ns and how $paper ~vd them"),
)

LATIN = Script(
    name="latin",
    build_lexicon=build_lexicon,
    grammar=GRAMMAR,
    idioms=IDIOMS,
    gap=" ",
    stop=". ",
    layouts=("\n\n",),
    capitals=True,
    digits=("0123456789",),
    papers=(
        ("The Harbour Courier", "harbourcourier"),
        ("Tarnwick Ledger", "tarnwickledger"),
        ("Ostmoor Lantern", "ostmoorlantern"),
        ("The Low Fell Reporter", "lowfellreporter"),
        ("Quarrymen’s Weekly", "quarrymensweekly"),
        ("Seven Weirs Bulletin", "sevenweirs"),
        ("The Marram Dispatch", "marramdispatch"),
        ("Pellworth Evening Bell", "pellworthbell"),
        ("The Saltpan Examiner", "saltpanexaminer"),
        ("Glassmakers’ Gazette", "glassmakersgazette"),
        ("Upper Wend Messenger", "upperwend"),
        ("The Kestrel Mail", "kestrelmail"),
    ),
    agencies=("Northwire", "Meridian Desk", "Coastline News", "Fourways"),
    name_list=" and ",
    weekdays=WEEKDAYS,
    months=MONTHS,
    halves=("a.m.", "p.m."),
    forms={
        "date_long": (
            "{weekday}, {day}{th} {month}, {year}",
            "{month} {day}, {year}",
            "{day} {month} {year}",
            "{weekday} {day} {month} {year}",
        ),
        "time": ("{hour12}:{minute} {ampm}", "{hour}:{minute}", "{hour}:{minute} GMT"),
        "price": ("${pounds}.{pence}", "{pounds},{pence} €"),
    },
    boilerplate=BOILERPLATE,
    extras=EXTRAS,
    sections=("Home", "World", "Region", "Money", "Sport", "Culture", "Weather", "Opinion"),
    page={
        "lang": "en",
        "dir": "ltr",
        "search": "Search $paper",
        "login": "Sign in",
        "most": "Most read today",
        "comments": "What readers say",
        "reply": "Reply",
        "share": "Share this story",
        "about": "About us|Imprint|Advertise|Jobs|Privacy",
        "rights": "All pages © $year $paper. Made in $city.",
        "cookies": "$paper keeps crumbs on your device. Take them all or choose.",
    },
)
