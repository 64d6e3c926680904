"""A wagering terminal that is a tablet: a device at a broker, and the page on which it is played.

To felt it is a terminal like any other, with a key of its own. Of the table it knows what the
protocol tells a terminal, and nothing else.
"""
