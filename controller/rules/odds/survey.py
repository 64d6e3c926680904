"""Every wager of a rulebook and every paytable it may be paid by, as questions with answers.

A question names a wager and a column. Main games are asked by their Ante: what a player loses
on Ante and later wagers together, under best play. An answer holds counts and fractions; what
a person or a program is shown of it is made from those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from controller.rules.odds import cajun, caribbean, cover_all, four_card_prime, raise_it_up
from controller.rules.odds.result import Edge, Estimate, Hits, Progress, silent
from controller.rules.odds.side import Progressive, histogram, progressive, side_edge
from controller.rules.paytables import PayTable
from controller.rules.rankings import Ranking
from controller.rules.rulebook import PRINTED, Meter, Rulebook

#: The seed of Cover All's estimate. Any will do; this one is stated with the result.
SEED = 1
DEALS = 4_000_000
MAIN = "ante"
#: How many cards the Aces Bonus may count.
READINGS = (4, 5)
COVER_ALL_NOTE = "with every hand dealt; a hand that folds can't be the highest"


@dataclass(frozen=True, slots=True)
class Question:
    wager: str
    column: str
    #: Main games and Cover All: seconds to minutes rather than moments.
    long: bool = False
    #: How many cards the Aces Bonus counts.
    reading: int | None = None


@dataclass(frozen=True, slots=True)
class Jackpot:
    """What can be said of a progressive without knowing its meters."""

    progressive: Progressive
    #: What each level starts at, in wagers; empty where the operator decides.
    seeds: Mapping[str, int]
    #: What envy returns per unit wagered for each other seat in the round.
    envy: Fraction | None = None

    @property
    def break_even(self) -> Fraction | None:
        """The top meter, in wagers, at which the wager returns 100%, other levels at their seed."""
        others = {level for hit in self.progressive.shares if (level := hit.row.odds.level)}
        others.discard(self.progressive.top)
        if not others <= set(self.seeds):
            return None
        return self.progressive.break_even({level: self.seeds[level] for level in others})


@dataclass(frozen=True, slots=True)
class Answer:
    question: Question
    edge: Edge | Estimate | None = None
    jackpot: Jackpot | None = None
    #: How often each row of the table is paid, where that is one table's matter.
    hits: tuple[Hits, ...] = ()
    note: str = ""
    #: What an estimate was drawn with.
    seed: int | None = None


def questions(rulebook: Rulebook) -> Iterator[Question]:
    """All that can be asked of a rulebook, main game first."""
    for name, wager in rulebook.wagers.items():
        if wager.multiples or wager.equals:
            continue  # answered with the Ante
        if name == MAIN:
            columns = rulebook.columns("bad_beat" if "bad_beat" in rulebook.paytables else MAIN)
            yield from (Question(MAIN, column, long=True) for column in columns)
            continue
        table = wager.paytable or name
        for column in rulebook.columns(table):
            if rulebook.sheet(table, column).ranking_by:
                yield from (Question(name, column, reading=cards) for cards in READINGS)
            else:
                yield Question(name, column, long=name == "cover_all")


class Survey:
    """Answers questions about one rulebook; what several answers need is counted once."""

    def __init__(self, rulebook: Rulebook) -> None:
        self._rulebook = rulebook
        self._prime: four_card_prime.Counts | None = None
        self._sampled: Mapping[int, cover_all.BestHand] | None = None

    def answer(self, question: Question, progress: Progress = silent) -> Answer:
        if question.wager == MAIN:
            return Answer(question, self._main_game(question.column, progress))
        if question.wager == "cover_all":
            return self._cover_all(question, progress)
        rulebook = self._rulebook
        name = rulebook.wagers[question.wager].paytable or question.wager
        sheet = rulebook.sheet(name, question.column)
        table = sheet.table(question.column, str(question.reading) if question.reading else None)
        counts = histogram(table.ranking, _cards(rulebook, table.ranking))
        if name in rulebook.meters:
            return _jackpot(rulebook, question, name, table, counts)
        hits = progressive(table, counts).hits
        return Answer(question, side_edge(table, counts), hits=hits)

    def _printed(self, table: str, column: str = PRINTED) -> PayTable:
        return self._rulebook.sheet(table, column).table(column)

    def _main_game(self, column: str, progress: Progress) -> Edge:
        match self._rulebook.game:
            case "caribbean-stud":
                return caribbean.main_game(self._printed("bet"), progress)
            case "raise-it-up":
                return raise_it_up.main_game(
                    self._printed("play"), self._printed("blind"), progress
                )
            case "four-card-prime":
                if self._prime is None:
                    self._prime = four_card_prime.counts(progress)
                bonus, beat = self._printed("win_bonus"), self._printed("bad_beat", column)
                return four_card_prime.edge(self._prime, bonus, beat)
            case "cajun-stud":
                return cajun.main_game(self._printed("ante", column), progress)

    def _cover_all(self, question: Question, progress: Progress) -> Answer:
        hands, table = int(question.column), self._printed("cover_all", question.column)
        if hands <= 3:
            best = cover_all.exact(hands, progress)
            return Answer(question, cover_all.edge(best, table), note=COVER_ALL_NOTE)
        if self._sampled is None:
            self._sampled = cover_all.estimate(SEED, DEALS, progress)
        edge = cover_all.edge(self._sampled[hands], table)
        return Answer(question, edge, note=COVER_ALL_NOTE, seed=SEED)


def _cards(rulebook: Rulebook, ranking: Ranking) -> int:
    """How many cards a side wager looks at: all that make the hand of its ranking."""
    if ranking.name == "five":
        return rulebook.hands.player + rulebook.hands.community
    return ranking.takes[1]


# --- Progressives -----------------------------------------------------------


def _jackpot(
    rulebook: Rulebook, question: Question, name: str, table: PayTable, counts: Mapping[int, int]
) -> Answer:
    found = progressive(table, counts)
    meter = next(m for m in rulebook.meters[name] if question.column in m.columns)
    envy = _envy(rulebook, question, counts) if name == "progressive" else None
    return Answer(
        question,
        jackpot=Jackpot(found, _seeds(meter), envy),
        hits=found.hits,
        note="for a hand that is not folded; meters move what it returns",
    )


def _seeds(meter: Meter) -> dict[str, int]:
    return {level: terms.seed for level, terms in meter.levels.items() if terms.seed is not None}


def _envy(rulebook: Rulebook, question: Question, counts: Mapping[int, int]) -> Fraction | None:
    """What another seat's hand is worth on average, per unit wagered, with a wager of $1."""
    for envy in rulebook.envy:
        if question.column in envy.columns:
            table = envy.table(question.column, next(iter(envy.clauses)))
            paid = sum(n * table.odds_for(strength).number for strength, n in counts.items())
            return Fraction(paid, sum(counts.values()) * 100)
    return None
