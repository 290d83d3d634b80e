# Trains a network of two hidden layers on recorded episodes by numpy: python3 train.py EPISODES NETWORK
import json
import sys
import time

import numpy as np

SEES, HIDDEN, BATCH, STEPS, RATE = 10, 96, 64, 8000, 2e-3
random, began = np.random.default_rng(1), time.time()
rows = np.loadtxt(sys.argv[1], dtype="f4")
mean, spread = rows.mean(0), rows.std(0) + 1e-3
rows = (rows - mean) / spread
x, y = rows[:, :SEES], rows[:, SEES:]
sizes = [SEES, HIDDEN, HIDDEN, y.shape[1]]
net = [p for a, b in zip(sizes, sizes[1:]) for p in ((random.normal(size=(a, b)) / a ** 0.5).astype("f4"), np.zeros(b, "f4"))]
moments = [(np.zeros_like(p), np.zeros_like(p)) for p in net]
for step in range(1, STEPS + 1):
    some = random.integers(0, len(x), BATCH)
    values = [x[some]]
    for k in range(0, len(net), 2):
        values.append(values[-1] @ net[k] + net[k + 1])
        if k < len(net) - 2:
            np.tanh(values[-1], values[-1])
    error, slopes = values[-1] - y[some], []
    loss = np.mean(error ** 2)
    error *= 2 / error.size
    for k in range(len(net) - 2, -1, -2):
        slopes[:0] = values[k // 2].T @ error, error.sum(0)
        error = error @ net[k].T * (1 - values[k // 2] ** 2)
    rate = RATE * 0.5 * (1 + np.cos(np.pi * step / STEPS))
    for p, g, (m, v) in zip(net, slopes, moments):  # Adam
        m += 0.1 * (g - m)
        v += 0.001 * (g * g - v)
        p -= rate * (m / (1 - 0.9 ** step)) / (np.sqrt(v / (1 - 0.999 ** step)) + 1e-8)
    if step % 2000 == 0:
        print("%d steps, %.0f s: error %.3f" % (step, time.time() - began, loss ** 0.5), flush=True)
with open(sys.argv[2], "w") as file:
    json.dump({"mean": mean.tolist(), "spread": spread.tolist(), "net": [p.T.tolist() for p in net]}, file)
