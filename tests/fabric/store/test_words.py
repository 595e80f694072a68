"""The word index forgets what was replaced and keeps to its bound."""

import random

from fabric.store.words import WordIndex, WordIndexes


def test_many_replacements_leave_the_words_of_now():
    index = WordIndex([("a", 0, "pizza night"), ("b", 1, "pizza")])
    for number in range(1000):
        index.put("a", 0, f"word{number} pizza")
        index.put("c", 2, "gone")
        index.remove("c")
    found = index.match(["pizza", "word999", "word5", "gone"], 10)
    assert [(match.id, match.shared, match.length) for match in found] == [("a", 2, 2), ("b", 1, 1)]
    assert len(index) == 2
    assert len(index._ids) < 200


def test_any_order_of_changes_is_as_a_fresh_index():
    chance, rows = random.Random(3), {}
    index = WordIndex([])
    for number in range(3000):
        row_id = f"r{chance.randrange(150)}"
        if chance.random() < 0.3:
            rows.pop(row_id, None)
            index.remove(row_id)
        else:
            text = " ".join(chance.choices(["pizza", "sushi", "ana", "june", "cat"], k=chance.randrange(4)))
            rows[row_id] = (rows[row_id][0] if row_id in rows else number, text)
            index.put(row_id, *rows[row_id])
        if number % 100 == 0:
            fresh = WordIndex((row_id, place, text) for row_id, (place, text) in rows.items())
            for limit in (3, 1000):
                asked = ["pizza", "ana", "june"]
                assert index.match(asked, limit) == fresh.match(asked, limit)


def test_the_least_recently_used_indexes_are_dropped_over_the_bound():
    def rows(count: int) -> WordIndex:
        return WordIndex((f"r{number}", number, "pizza") for number in range(count))

    indexes = WordIndexes(max_rows=10)
    indexes.add("t", 1, rows(4))
    indexes.add("t", 2, rows(4))
    assert indexes.get("t", 1) is not None
    indexes.add("t", 3, rows(4))
    assert [indexes.get("t", scope) is not None for scope in (1, 2, 3)] == [True, False, True]
    indexes.add("t", 4, rows(50))
    assert [indexes.get("t", scope) is not None for scope in (1, 2, 3, 4)] == [False, False, False, True]
