"""English words alone: the grammar of `latin` without its invented words, for archives that people read.

With some thousand words instead of 60,000 its statistics are not those of a language: figures are measured on `latin`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

from newsgen import latin
from newsgen.language import draw, split_words

__all__ = ["ENGLISH"]

NOUNS = latin.NOUNS + split_words("""
account agenda agreement aircraft alliance allowance apartment appointment archive artist assembly athlete auditor
author average backlog balance ban barrier beach benefit bid bill bond border boundary boycott breakdown broadcast
broker builder building bus business buyer camera canal capital captain car career cargo carrier cartoon cash
catalogue ceiling centre century ceremony chain chairman challenge channel chapter character charity chart church
cinema circle citizen claim climate closure club code collapse collection college colony column commander comment
commission commuter competition complaint component composer computer concert conference conflict congress consumer
container contest copy corner correspondent corridor cost cottage count country couple course coverage craft credit
crew crisis critic crop crossing crowd culture cup curriculum cut cycle dairy dancer data date daughter deadline
dealer debate decline defence deficit degree delivery democracy department deposit depot deputy desert design
destination detective developer device diary difference dinner diplomat direction director discount discovery
discussion display dispute distance district dividend division dock donation donor door draft drawing dress drill
driver drug dust duty earthquake economy edition editor education effort election element emergency emission employee
energy enterprise entrance environment equipment error estate estimate event evidence examination example exchange
executive exercise exhibit expansion expense experiment expert explorer extension facility failure fan fare farmer
fashion father favourite feature fee fence ferry field fighter file finance fine fire firm fleet flight floor flower
focus food forecast forest foundation fraud freight friend front fuel function furniture future gallery gap garage gas
gate gathering generation gesture giant gift glass goods grade grant graph grocery ground growth guard guarantee guest
guide guideline habit hall handbook harvest headline headquarters hearing heating height heritage highway hill hire
history holiday home horse hotel household housing hunter ice idea identity image impact incentive incident income
individual infection inflation information initiative inspector institution instruction instrument insurance interest
interview introduction inventor investigation invitation invoice issue item jacket job journalist journey judgment
jury justice kitchen label laboratory labour ladder land landlord landscape language launch lawsuit layer leadership
leaflet lease lecture legacy legislation lesson level liability licence light line list literature load location lorry
loss luggage lunch magazine mail maintenance majority manager manual manufacturer map margin mark material meal
measurement medal media medicine member memorial memory merchant message method migration mine mineral ministry
minority mission mixture model monument mood mortgage mother motion motor motorway movement museum music musician
nation neighbourhood newspaper nomination notice number object observer obstacle occasion offence officer oil opening
opera operation opinion opponent opportunity option order organisation origin outbreak outcome output overview owner
package painting panel paper parade park partner partnership passenger patent path pattern pavement payment peace peak
penalty performance period permit petition photographer piece pilot pitch place plan planet plant platform plot poem
poet pollution pool population portrait position possession post potato pound poverty practice precedent premium
presence president pressure priest principle printer priority privilege prize problem procedure process producer
profession profile profit progress promotion property prospect protest province provision publication publisher pupil
purchase purpose quality quantity quota race radio rail rain rally range ranking receipt reception recession recipe
recovery reduction reform refugee refusal registration regulation rehearsal relation release religion remark rent
replacement republic reputation rescue research reserve reservoir resignation resolution resort resource response
restaurant retirement return revenue revolution reward rival road rocket role roof room route ruling runner rush
salary sale salt sample satellite saving scandal scene schedule scheme scholarship science scientist score sculpture
seat section sector security selection seller seminar sequence series session settlement shareholder shelter shift
ship shipment shop shore signal signature singer site situation skill slogan society software soil soldier solution
source space speaker specialist speech speed sponsor spring square stadium staff stage stake standard statistic statue
status steel stock store storey stream strategy structure studio subject subsidy substance suburb success suggestion
suit summer supply support surgeon surplus suspect suspicion symbol symptom system table talent target task taste
teaching team technique technology telephone television temperature temple tenant term terminal territory text theme
theory ticket timber timetable tool topic total tour tourist town track tradition traffic training transaction
transfer transition transport traveller treasure treatment trend trip trophy trouble truck turnover uncertainty
uniform unit university upgrade vacancy variety venue version victim view violation virus vision visitor voice volume
volunteer voyage walk wall warehouse waste weapon weather website wedding week welfare wheat wheel wind window winner
winter witness wood worker workshop writer yard""")
ADJECTIVES = latin.ADJECTIVES + split_words("""
absent academic active additional adequate advanced aggressive alternative amateur ancient anonymous apparent
appropriate artificial automatic available aware bitter bold brief brilliant busy calm capable casual civil classic
commercial compact competitive comprehensive confident conservative considerable constant contemporary controversial
conventional creative criminal crowded crucial curious dangerous dark decent delicate democratic dense desperate
detailed different difficult digital diplomatic distant distinct dominant dramatic eager economic educational
effective efficient elderly electronic elegant eligible emotional endless energetic enormous entire essential ethical
eventual evident exact excellent exceptional excessive exclusive existing expensive experienced experimental explicit
extensive extraordinary extreme familiar famous fashionable favourable feasible fierce flat flexible fortunate fragile
frequent friendly functional fundamental generous gentle genuine golden gradual grateful harsh healthy hidden hollow
honest horizontal hostile huge ideal identical immediate immense impossible impressive inadequate incomplete
incredible industrial inevitable influential informal initial innocent innovative inner intense interesting
intermediate invisible irregular joint keen known lasting leading liberal literary lively logical lonely long loose
loyal magnetic marginal marine massive mature maximum meaningful mechanical mental minor missing mixed mobile moral
multiple municipal musical mutual mysterious narrow neat negative nervous neutral noble noisy notable nuclear numerous
obvious occasional odd optimistic organic outdoor overall partial particular passive peaceful perfect persistent
personal physical plain pleasant polite political positive possible practical precise preliminary pretty primitive
principal private productive professional profitable progressive promising psychological purple radical random rare
rational realistic reasonable reliable reluctant remarkable residential responsible rigid rival romantic rough round
royal rude scientific secondary selective sensible sensitive separate silent silver slight smart smooth sole solar
sophisticated specific spectacular steady steep strange strategic strict structural stupid subsequent substantial
subtle sufficient suitable superior supreme surprising suspicious symbolic systematic technical thick tight total
tough toxic traditional tragic transparent tropical typical ultimate underground unexpected unfair uniform unique
unknown unlikely unnecessary upper vague valid valuable variable verbal vertical violent virtual vital vulnerable warm
wealthy welcome western wet widespread wild willing wise wooden worthy""")
VERBS = latin.VERBS + split_words("""
abandon absorb accept accompany achieve acquire adjust administer admire advertise advise affect aid allocate amend
analyse approach arrange assemble assign assist attach attack attend attract award benefit book borrow calculate
cancel capture celebrate certify challenge charter chase circulate clarify classify climb combine command commission
compile complicate conceal conclude condemn conduct connect conserve construct consult contact contain contest
contradict convert cooperate correct count crash create cross cultivate damage debate decide declare decline decorate
defeat define deliver demolish demonstrate deny depict deposit deserve design detain detect determine devote dictate
diminish discover discourage display dispute distribute divide document donate doubt download draft dominate earn
eliminate employ enable endorse enforce engage enhance enjoy ensure entertain escort establish estimate evaluate
exceed exchange exclude execute exhibit exploit export express facilitate fail favour fear file filter fix form
frustrate fuel generate grant guarantee guard guide honour host identify illustrate imagine implement impose impress
incorporate indicate influence inherit initiate inspire instruct insure integrate interpret interrupt interview invent
invest investigate invite isolate issue judge justify label launch license limit link list load locate lock maintain
mark maximise memorise minimise motivate name neglect nominate notice notify oblige obstruct occupy pack paint park
persuade photograph plant please postpone pray preserve prevent print process proclaim prohibit prosecute purchase
push qualify query quote rank rate reach realise recall reconsider recruit refuse regard register regulate reinforce
relate relocate rent repeat represent reproduce resume retain reverse revise revive risk sample satisfy schedule
scrutinise search separate shelter shift simplify solve specify sponsor stimulate store stress structure substitute
suggest summon supervise supply surprise surround survey suspect sustain switch terminate threaten tolerate trace
transform translate transport trigger upgrade verify view violate vote welcome widen witness""")
SURNAMES = split_words("""
Abbott Akhtar Albrecht Anders Barlow Bauer Bell Bennett Berg Bishop Bose Brandt Brooks Carter Castillo Chandra Chapman
Costa Cruz Dalton Dietrich Doyle Dubois Duncan Ellis Farouk Fischer Fletcher Fontaine Fraser Fuentes Garnier Goddard
Haddad Hansen Harper Hart Herrera Holm Hughes Ito Jansen Joshi Kaplan Keller Khan Kimura Kowalski Lambert Larsen
Lehmann Lindgren Lopez Lowe Mahmoud Marsh Martin Mensah Meyer Miller Moreau Morris Nakamura Ndiaye Nielsen Novak
Okafor Olsen Ortiz Osei Parker Patel Pereira Petrov Quinn Rahman Ramos Reed Richter Romero Rossi Russell Sato Schmidt
Sharma Silva Singh Soto Stone Sutton Svensson Tanaka Taylor Torres Turner Vogel Walker Watts Weber Wong Young Zhang""")
PLACES = [
    first + last
    for first in split_words(
        "Ash Bridge Castle Clay Cross East Elm Fern Green Hazel High Kings Long Mill North Oak Red Stone"
    )
    for last in ("bridge", "field", "ford", "haven", "ton", "wood")
]


def build_lexicon(rng: Random) -> Mapping[str, Sequence[str]]:
    """Words of each class of the grammar, ranked anew for each seed."""
    nouns, verbs, adjectives = (_shuffle_words(rng, words) for words in (NOUNS, VERBS, ADJECTIVES))
    return latin.build_classes(
        nouns=nouns,
        verbs=verbs,
        adjectives=adjectives,
        adverbs=latin.ADVERBS,
        topics=nouns[100:],
        people=[(draw(rng, latin.FIRST), draw(rng, SURNAMES)) for _ in range(1_000)],
        places=_shuffle_words(rng, PLACES),
        trusts=_shuffle_words(rng, PLACES),
    )


def _shuffle_words(rng: Random, words: Sequence[str]) -> list[str]:
    found = list(dict.fromkeys(words))
    rng.shuffle(found)
    return found


ENGLISH = replace(latin.LATIN, name="english", build_lexicon=build_lexicon)
