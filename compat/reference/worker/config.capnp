using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "stub", worker = .stub),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);

const main :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "main.js")],
  compatibilityDate = "2025-06-01",
  compatibilityFlags = ["nodejs_compat"],
  bindings = [
    (name = "LOADER", workerLoader = ()),
    (name = "STUB", service = "stub"),
  ],
);

const stub :Workerd.Worker = (
  modules = [(name = "stub.js", esModule = embed "stub.js")],
  compatibilityDate = "2025-06-01",
);
