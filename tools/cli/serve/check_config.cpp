// Each part of the settings by itself, so that one fault does not hide another.

#include "tools/cli/serve/check_config.hpp"

#include "net/access/secret_file.hpp"
#include "net/stream/tls_context.hpp"
#include "schema/base/time.hpp"
#include "store/replicated/membership.hpp"
#include "store/upkeep/look.hpp"
#include "tools/cli/doctor/findings.hpp"
#include "tools/cli/doctor/store_health.hpp"
#include "tools/cli/serve/read_log.hpp"
#include "tools/cli/transport/url.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <system_error>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <unistd.h>

namespace whence::tools {
namespace {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using asio::ip::tcp;

/// Takes over one part of the settings; the others keep their defaults.
using Part = std::function<void(ServeOptions const& from, ServeOptions& to)>;

void take_stores(ServeOptions const& from, ServeOptions& to) {
  to.db = from.db;
  to.db_flag = from.db_flag;
  to.namespaces = from.namespaces;
}

/// The flags as `serve` checks them, part by part. Whether all of them hold.
bool look_at_flags(ServeOptions const& options, Findings& out) {
  std::array<Part, 11> const parts = {take_stores,
                                      [](auto const& from, auto& to) {
                                        take_stores(from, to);
                                        to.token_files = from.token_files;
                                        to.four_eyes = from.four_eyes;
                                      },
                                      [](auto const& from, auto& to) {
                                        take_stores(from, to);
                                        to.files = from.files;
                                      },
                                      [](auto const& from, auto& to) {
                                        to.listen = from.listen;
                                        to.bolt = from.bolt;
                                        to.bolt_advertise = from.bolt_advertise;
                                        to.metrics_listen = from.metrics_listen;
                                        take_stores(from, to);
                                        to.token_files = from.token_files;
                                      },
                                      [](auto const& from, auto& to) {
                                        to.tls_cert = from.tls_cert;
                                        to.tls_key = from.tls_key;
                                      },
                                      [](auto const& from, auto& to) { to.allow_origin = from.allow_origin; },
                                      [](auto const& from, auto& to) { to.trace_to = from.trace_to; },
                                      [](auto const& from, auto& to) {
                                        to.log = from.log;
                                        to.nats = from.nats;
                                        to.log_replicas = from.log_replicas;
                                      },
                                      [](auto const& from, auto& to) { to.embedding = from.embedding; },
                                      [](auto const& from, auto& to) {
                                        to.retention = from.retention;
                                        to.retention_min = from.retention_min;
                                      },
                                      [](auto const& from, auto& to) { to.witnesses = from.witnesses; }};
  std::set<std::string> faults;
  auto const note = [&](ServeOptions const& some) {
    auto const checked = check(some);
    if (!checked && faults.insert(checked.error().message).second) {
      out.fail("settings", checked.error().message, "whence serve --help");
    }
  };
  for (auto const& part : parts) {
    ServeOptions alone;
    part(options, alone);
    note(alone);
  }
  if (faults.empty()) note(options);  // what only holds of all together
  if (faults.empty()) out.ok("settings", "flags, environment and file hold");
  return faults.empty();
}

void look_at_tls(ServeOptions const& options, std::int64_t now_s, Findings& out) {
  if (options.tls_cert.empty() || options.tls_key.empty()) return;
  net::TlsFiles const files{.cert = options.tls_cert,
                            .key = options.tls_key,
                            .client_ca = options.tls_client_ca,
                            .client_crl = options.tls_client_crl};
  auto const tls = net::load_tls(files, net::KeyPassword::is_refused);
  if (!tls)
    return out.fail("tls", tls.error().message,
                    "name a certificate chain and its own key, both PEM, that the server's user can read");
  auto const certificate = net::certificate_of(**tls);
  look_at_expiry("certificate", certificate.expires_s - now_s, "renew " + options.tls_cert, out);
}

/// The error of binding; empty where it can be had.
std::string try_to_bind(HostPort const& address) {
  boost::system::error_code failed;
  auto const host = asio::ip::make_address(address.host == "localhost" ? "127.0.0.1" : address.host, failed);
  if (failed) return "not an IP address";
  asio::io_context io;
  tcp::acceptor acceptor{io};
  tcp::endpoint const endpoint{host, address.port};
  acceptor.open(endpoint.protocol(), failed);
  if (!failed) acceptor.set_option(asio::socket_base::reuse_address{true}, failed);
  if (!failed) acceptor.bind(endpoint, failed);
  if (!failed) acceptor.listen(1, failed);
  return failed ? failed.message() : std::string{};
}

/// Where a server holds a store of these settings, the port is most likely its own, and free for the next start.
void look_at_address(std::string const& flag, std::string const& text, bool is_running, Findings& out) {
  auto const address = parse_host_port(text);
  if (!address) return;  // the flags were reported
  auto const fault = try_to_bind(*address);
  if (fault.empty()) return out.ok("address", flag + " " + text + " can be had");
  if (is_running)
    return out.ok("address", flag + " " + text + ": " + fault + "; a server that runs holds a store of these settings");
  out.fail("address", flag + " " + text + ": " + fault, "another address or port, or end what listens there");
}

/// Whether the user that serves may write at `at`, which is `path` or the folder above it in which that will be made.
void look_at_access(std::string const& what, fs::path const& path, fs::path const& at, Findings& out) {
  std::error_code unknown;
  if (::access(at.c_str(), fs::is_directory(at, unknown) ? W_OK | X_OK : W_OK) == 0) {
    return out.ok(what, path.string() + (at == fs::absolute(path, unknown) ? " can be written" : " can be made"));
  }
  std::string const why = std::generic_category().message(errno);
  out.fail(what, at.string() + ": " + why, "give it to the user that serves");
}

/// Whether a folder can be written, or made where it is missing: a start makes those above it too.
void look_at_folder(std::string const& what, fs::path const& path, Findings& out) {
  std::error_code unknown;
  auto at = fs::absolute(path, unknown);
  while (!at.empty() && !fs::exists(at, unknown) && at.has_parent_path() && at != at.parent_path())
    at = at.parent_path();
  if (!fs::is_directory(at, unknown)) {
    return out.fail(what, path.string() + ": " + at.string() + " is no directory", "another path");
  }
  look_at_access(what, path, at, out);
}

/// Whether a file can be written, or made where it is missing: no start makes the folder for it.
void look_at_file(std::string const& what, fs::path const& path, Findings& out) {
  std::error_code unknown;
  auto const file = fs::absolute(path, unknown);
  if (fs::is_directory(file, unknown)) return out.fail(what, path.string() + " is a directory", "another path");
  if (fs::exists(file, unknown)) return look_at_access(what, path, file, out);
  auto const folder = file.parent_path();
  if (!fs::is_directory(folder, unknown)) {
    bool const is_there = fs::exists(folder, unknown);
    return out.fail(what, path.string() + ": " + folder.string() + (is_there ? " is no directory" : " does not exist"),
                    "another path, or make the folder");
  }
  look_at_access(what, path, folder, out);
}

/// Whether a server holds the store.
bool look_at_one_store(std::string const& name, fs::path const& directory, Findings& out) {
  auto const called = name.empty() ? directory.string() : "namespace " + name + " (" + directory.string() + ")";
  try {
    auto const look = store::look_at(directory);
    if (!look && look.error().code == Errc::not_found) {
      look_at_folder("store", directory, out);
      return false;
    }
    if (!look) {
      out.fail("store", called + ": " + look.error().message, "whence doctor --db " + directory.string());
      return false;
    }
    look_at_folder("store", directory, out);
    if (look->holder) {
      out.ok("store", called + " is at transaction " + std::to_string(schema::number(look->tx)) + "; process " +
                          std::to_string(*look->holder) + " holds it");
    } else {
      out.ok("store", called + " opens at transaction " + std::to_string(schema::number(look->tx)));
    }
    return look->holder.has_value();
  } catch (std::system_error const& broken) {
    out.fail("store", called + ": " + broken.what(), "whence doctor --db " + directory.string());
    return false;
  }
}

/// Tokens that have ended, or soon will. Their names are no secret.
void look_at_tokens(std::vector<net::Token> const& tokens, std::int64_t now_s, Findings& out) {
  for (auto const& token : tokens) {
    if (token.revoked || !token.expires) continue;
    auto const left_s = token.expires->seconds - now_s;
    auto const called = "token " + (token.name.empty() ? std::string{"without a name"} : token.name);
    if (left_s <= 0) {
      out.warn("token", called + " has ended", "whence token rotate, or revoke");
    } else if (left_s < expiry_warn_s) {
      out.warn("token", called + " ends in " + time_text(left_s), "whence token rotate");
    }
  }
}

/// Stores of settings that hold.
bool look_at_stores(ServeConfig const& config, Findings& out) {
  bool is_running = false;
  for (auto const& each : config.stores) {
    is_running = look_at_one_store(each.name, each.engine.directory, out) || is_running;
    if (!each.engine.files.empty()) look_at_folder("files", each.engine.files, out);
    if (each.shared_log) continue;
    auto const log = store::find_membership(each.engine.directory);
    if (log) {
      out.fail("store", "the store in " + each.engine.directory.string() + " belongs to the replicated log " + *log,
               "--log nats://HOST:PORT/" + *log + ", or whence log leave --db " + each.engine.directory.string());
    }
  }
  return is_running;
}

}  // namespace

ExitCode check_config(ServeOptions const& options, Io& io) {
  Findings findings;
  bool is_running = false;
  if (look_at_flags(options, findings)) {
    auto const config = check(options);
    is_running = look_at_stores(*config, findings);
    for (auto const& each : config->stores) look_at_tokens(each.tokens, schema::SystemClock{}.now().seconds, findings);
    for (auto const& file : config->token_files) {
      if (auto const access = net::find_group_access(file.value))
        findings.warn("secret", *access, "chmod 600 " + file.value);
    }
  }
  look_at_tls(options, schema::SystemClock{}.now().seconds, findings);
  look_at_address("--listen", options.listen, is_running, findings);
  if (!options.bolt.empty()) look_at_address("--bolt", options.bolt, is_running, findings);
  if (!options.metrics_listen.empty()) {
    look_at_address("--metrics-listen", options.metrics_listen, is_running, findings);
  }
  if (!options.log_file.empty()) look_at_file("log-file", options.log_file, findings);
  if (!options.audit_reads.empty() && options.audit_reads != reads_in_log) {
    look_at_file("audit-reads", options.audit_reads, findings);
  }
  std::error_code unknown;
  if (!options.explorer.empty() && !fs::exists(fs::path(options.explorer) / "index.html", unknown)) {
    findings.fail("explorer", "there is no index.html in " + options.explorer, "tools/explorer/build makes it");
  }
  print(findings, false, io);
  return findings.worst() == Severity::fail ? ExitCode::usage : ExitCode::ok;
}

}  // namespace whence::tools
