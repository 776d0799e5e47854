"""Embeds the same made-up texts with Clew's built-in model and with ONNX Runtime, from the same file, alternately.

usage: compare.py EMBED DIR   (see main.go)
"""
import json
import random
import resource
import subprocess
import sys
import time

import numpy as np
import onnxruntime
import tokenizers

WORDS = """bridge mill river keeper harbour letter council winter stone garden captain market tower lantern valley teacher
engine island printer orchard station ferry chapel doctor museum painter archive border clock weaver""".split()
VERBS = "built repaired sold inherited described visited measured photographed restored abandoned".split()


def sentences(n, least, most, seed):
    """Returns n sentences of least to most words."""
    r = random.Random(seed)
    out = []
    for _ in range(n):
        words = []
        while len(words) < r.randint(least, most):
            words += ["the", r.choice(WORDS), "of", "the", r.choice(WORDS), r.choice(VERBS), "the", r.choice(WORDS), "in", str(r.randint(1700, 1999))]
        out.append(" ".join(words[: r.randint(least, most)]).capitalize() + ".")
    return out


class Runtime:
    def __init__(self, folder):
        self.tokens = tokenizers.Tokenizer.from_file(folder + "/tokenizer.json")
        self.tokens.no_padding()
        self.tokens.enable_truncation(256)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(folder + "/model.onnx", options, providers=["CPUExecutionProvider"])
        self.names = [i.name for i in self.session.get_inputs()]

    def embed(self, texts):
        """Embeds texts of the same number of pieces together, which is fastest: none is padded."""
        before, wall = resource.getrusage(resource.RUSAGE_SELF), time.time()
        groups = {}
        for i, text in enumerate(texts):
            e = self.tokens.encode(text)
            groups.setdefault(len(e.ids), []).append((i, e))
        vectors = [None] * len(texts)
        for group in groups.values():
            for at in range(0, len(group), 32):
                some = group[at : at + 32]
                given = {
                    "input_ids": [e.ids for _, e in some],
                    "attention_mask": [e.attention_mask for _, e in some],
                    "token_type_ids": [e.type_ids for _, e in some],
                }
                out = self.session.run(None, {k: np.array(given[k], dtype=np.int64) for k in self.names})[0]
                for (i, _), v in zip(some, out.mean(axis=1)):
                    vectors[i] = v / np.linalg.norm(v)
        after = resource.getrusage(resource.RUSAGE_SELF)
        return vectors, time.time() - wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Clew:
    def __init__(self, program, folder):
        self.process = subprocess.Popen([program, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def embed(self, texts, workers=1):
        self.process.stdin.write(json.dumps({"texts": texts, "workers": workers}) + "\n")
        self.process.stdin.flush()
        reply = json.loads(self.process.stdout.readline())
        return reply["vectors"], reply["wall"], reply["processor"]


def main():
    clew, runtime = Clew(sys.argv[1], sys.argv[2]), Runtime(sys.argv[2])
    for name, least, most in (("short texts", 20, 20), ("sentences", 12, 48)):
        ours, theirs, cosines, pieces, n = [], [], [], 0, 128
        for lap in range(5):
            texts = sentences(n, least, most, lap)
            pieces += sum(len(runtime.tokens.encode(t).ids) for t in texts)
            a, _, seconds = clew.embed(texts)
            ours.append(n / seconds)
            b, _, seconds = runtime.embed(texts)
            theirs.append(n / seconds)
            cosines += [float(np.dot(x, y)) for x, y in zip(a, b)]
        print(f"{name} of {pieces / 5 / n:.1f} pieces: {np.median(ours):.0f} a second of processor time, ONNX Runtime {onnxruntime.__version__} {np.median(theirs):.0f}; "
              f"cosine {np.mean(cosines):.4f} on average, {min(cosines):.4f} at least")
    texts = sentences(10_000, 12, 48, 99)
    _, wall, seconds = clew.embed(texts, workers=2)
    print(f"10,000 sentences by two workers: {wall:.0f} s, {seconds:.0f} s of processor time")
    clew.process.stdin.close()
    clew.process.wait()


main()
