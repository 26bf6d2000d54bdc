"""Starting `vllm serve` for one model, watching over it, restarting it, and stopping it.

`command` plans what to run, `keeper` ties it to us, `process` is one run of it, `replica` keeps one server alive
through many runs, `replicas` keeps all of them and tells the backend who is up. vLLM is a program, never an import.
"""
