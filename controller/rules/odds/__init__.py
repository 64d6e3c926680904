"""The exact odds of the games and their side wagers, counted and never simulated.

An operator files a paytable with a hold, a test lab checks it and a shift manager is asked
about it: all three want a fraction, so every figure here is a count of deals over a count of
deals. The one exception, Cover All with four hands and more, says of itself that it is an
estimate and how good a one.

Nothing here is needed to run a table. numpy is imported by these modules alone, and this
file imports none of them, so a table that is never asked for odds never loads it.
"""
