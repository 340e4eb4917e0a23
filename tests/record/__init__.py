"""What every command says today, written down, so that a rebuilt package can be held against it.

``python -m tests.record programs DIR`` freezes example files and generated programs as text, with the command
lines to run on them. ``write OUT.jsonl --programs DIR`` runs the command lines and writes one line an answer,
``compare A B`` tells two such files apart, ``show ID --programs DIR`` prints one answer in full. But for
``programs``, nothing here needs more of the package than ``python -m convergence``: copied to another place,
it runs unchanged against any version that stands first on ``PYTHONPATH``. pytest collects nothing here.
"""
