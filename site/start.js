// What a kernel takes for Pyodide: it loads all packages beside the runtime, and imports what every
// notebook imports. Run twice in a worker, it starts once.
self.loadPyodide ??= options => {
  importScripts(options.indexURL + "pyodide.js")
  const started = self.loadPyodide({ ...options, packages: $packages }).then(async pyodide => {
    await pyodide.runPythonAsync("import pyodide_kernel, preemption.explorers, preemption.lessons")
    return pyodide
  })
  self.loadPyodide = () => started
  return started
}
