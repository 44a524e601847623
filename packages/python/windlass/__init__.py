"""Run Kubernetes Jobs without a cluster.

``run()`` runs Jobs to their end, as ``windlass run`` does. ``windlass.testing`` has API servers for
tests.
"""

from ._program import WindlassError
from ._run import Cause, JobResult, RunResult, run

__all__ = ["Cause", "JobResult", "RunResult", "WindlassError", "run"]
