"""Serves a model file on a free port of 127.0.0.1 and prints the address, until its input ends."""
import sys

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = 8192
params.n_parallel = 1
params.n_predict = 192  # so small a model repeats itself until something stops it
params.use_jinja = True
params.cpuparams.n_threads = 1  # several wait for each other on a busy machine
params.cpuparams_batch.n_threads = 1
params.verbosity = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
