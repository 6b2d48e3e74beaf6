using Workerd = import "/workerd/workerd.capnp";

# workerd serve worker.capnp, with worker.js bundled as bundle.js and the daemon's address in EXECUTOR_URL.
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "network", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "bundle.js")],
  compatibilityDate = "2025-06-01",
  globalOutbound = "network",
  bindings = [
    (name = "EXECUTOR_URL", fromEnvironment = "EXECUTOR_URL"),
    (name = "CODEMODE_TOKEN", fromEnvironment = "CODEMODE_TOKEN"),
  ],
);
