"""Ranking: from a question and the numbers that the store keeps of every row, to the rows that answer it.

The order of steps, each in a file of its own:

1. `question`: the cue without stop words; words that only frame a question weigh less; whom it names.
2. `candidates`, `lexical`: what its words (`bm25`), words of like meaning (`term_expansion`) and other spellings
   (`spellings`) score in each row of the tiers.
3. `rank`: the sum of words, meaning and speaker, each on a scale of its own (`fusion`), over all rows.
   For a question about several things twice: what was found first then belongs to its meaning (`feedback`).
4. `neighbours`: what the turns around and the session add, less to replies. Above some thousand rows only for the best.
5. `time_cue`, `time_words`, `recency`: turns of the time that the cue names; the newer of two that say the same.
6. `confidence`: one number from 0 to 1 that tells whether anything fits.
7. `packing`: the best texts for a prompt.

Nothing here reads a database or calls a model, and no step needs the meaning: without vectors the words decide.
"""
