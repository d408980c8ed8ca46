// The worker of a first kernel, begun before JupyterLab asks for one.
importScripts("start.js")
loadPyodide({ indexURL: new URL(".", location).href })
addEventListener("message", event => importScripts(event.data), { once: true })
