"""What each act does, in words, for whoever is going to do it: ``felt act --all`` says them.

An event's own note says what has happened. This says what to expect of doing it.
"""

from __future__ import annotations

from controller.table import events

DOES: dict[type[events.Happening], str] = {
    events.TableOpened: "Open the table, once the self-check has passed: decks are asked for next.",
    events.TableClosed: "Close the table, between rounds.",
    events.DeckReceived: "A deck has come to the table; its checklist is asked for next.",
    events.DeckInspected: "The deck's backs and faces were inspected.",
    events.DeckVerified: "The inspection of the deck was looked at by a second person.",
    events.DeckSpread: "The deck lies spread out face up, for the first player.",
    events.DeckShown: "The first player has had the opportunity to look at the spread cards.",
    events.DeckWashed: "The cards were turned face down, mixed by a washing, and stacked.",
    events.DeckRemoved: "Take a deck out of play for good.",
    events.ShuffledByHand: "The deck was shuffled by hand; the cut is next.",
    events.CutMade: "The deck was cut, as prompted where no depth is given.",
    events.CoverCardPlaced: "The cover card lies in front of the deck, which is cut onto it.",
    events.RestPlaced: "The rest of the deck was put on top of what was cut.",
    events.CoverCardRacked: "The cover card is back in the rack; the cut is done.",
    events.RecutOrdered: "Have the deck cut once more, before its first card is dealt.",
    events.ShuffleOrdered: "Have the deck shuffled once more, before the lock-out.",
    events.DeckLoaded: "The deck is in a manual shoe or in the dealer's hand: betting opens.",
    events.RackCleared: "The discard rack is empty: its deck is on its way to the shuffler.",
    events.CardsSpread: "Nobody plays: the cards lie spread on the open table.",
    events.CardsTurnedUp: "A player came to the idle table: the spread cards were turned face up.",
    events.PlayerSat: "A player sits down at a free seat.",
    events.PlayerLeft: "The player of a seat has left the table.",
    events.WagersAbandoned: "Decide about the wagers of a player who left in the round: lost or "
    "given back.",
    events.WagerPlaced: "Chips lie on the layout: that much more on a wager of a seat. Acceptors "
    "and terminals tell their own.",
    events.WagerTakenBack: "A player took a wager back before the lock-out, all of it, and with it "
    "what rests on it.",
    events.LockOutPressed: "No more bets: all acceptors and terminals lock.",
    events.ChipsCounted: "As many progressive chips lie in front of the table inventory.",
    events.DealPressed: "Begin the deal, once everything is locked.",
    events.StackTaken: "A stack was seen to be out of the shoe's exit, where the shoe can't tell.",
    events.CardsDealt: "Cards were dealt by hand to a seat or a place; as many as are due if "
    "nothing is said.",
    events.FaceUpCardFound: "A card came face up in the deal.",
    events.CardDrawnInError: "A card was drawn in error and nobody saw it: it is dealt next.",
    events.UpCardShown: "The dealer's up card was turned over.",
    events.MisdealReported: "A seat or a place got another number of cards than it should.",
    events.CardExposed: "A card was seen before its time.",
    events.ExposureDecided: "Decide whether the exposed card makes the round void.",
    events.StubRacked: "What was not dealt lies in the discard rack.",
    events.StubCounted: "What was not dealt was counted: so many cards.",
    events.Decided: "A seat has decided: wager with an amount in cents, check, or fold.",
    events.WagersForfeited: "Take the wagers of seats that communicated about their hands.",
    events.Revealed: "Cards of the dealer, the community or the extra hand were turned over.",
    events.HandTurned: "The hand of a seat was turned over.",
    events.HandVerified: "The dealer has seen that the hand wins, and its light where there is "
    "one.",
    events.PayoutValidated: "Approve an award that needs a second person; it can be paid then.",
    events.PayoutRefused: "Do not approve an award: its hand is verified once more.",
    events.SeatPaid: "A seat was settled: its winnings are paid, its losses taken.",
    events.HandPayDocumented: "The papers of a payment by hand are done.",
    events.CardsRacked: "All cards of the round lie in the rack, in order: the round is over.",
    events.WagersReturned: "What a void round or hand returns to a seat was handed back.",
    events.RoundVoided: "Make the round void: wagers go back.",
    events.DeviceAccepted: "Accept another device in the place of the one that was there, with a "
    "second person: from now on it belongs here.",
    events.HoldSeen: "Say that you know of a hold and see to it; it stands.",
    events.HoldCleared: "End a hold: what it lies on is in order, and the table goes on.",
    events.DeviceTakenOut: "Take the shuffler or the shoe out of service, counted empty, and say "
    "how the table is dealt meanwhile.",
    events.DeviceReturned: "Bring the shuffler or the shoe back into service.",
    events.CredentialUnlocked: "Let a person sign on again whose PIN somebody tried wrongly.",
    events.PlaceUnlocked: "Let people sign on again at a place where several PINs were wrong.",
    events.MaintenanceEntered: "Begin maintenance, with a second person: the table does not play.",
    events.MaintenanceLeft: "End maintenance, with a second person, and say what was done.",
    events.RecordAccepted: "Go on with a journal that was in doubt: two people have compared it "
    "with the table.",
    events.MeterCorrected: "Set a level of a progressive meter, with a second supervisor.",
    events.MeterReset: "Set a level of a progressive meter back to where it starts, with a second "
    "person.",
    events.HitOrderedByHand: "Say what a hit on the linked meter is worth while the link is down.",
}
