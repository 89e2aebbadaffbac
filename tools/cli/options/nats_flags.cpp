#include "tools/cli/options/nats_flags.hpp"

#include "tools/cli/options/settings.hpp"

namespace whence::tools {

void add_nats_flags(CLI::App& verb, store::NatsOptions& options) {
  auto const add_file = [&](char const* name, std::string& path, char const* doc) {
    make_setting(verb.add_option(name, path, doc))->type_name("FILE");
  };
  add_file("--log-credentials", options.credentials, "Credentials of a user of NATS (JWT and nkey seed)");
  add_file("--log-ca", options.ca, "Certificates (PEM) that those of the NATS servers are checked with");
  add_file("--log-cert", options.certificate, "Certificate chain (PEM) for NATS servers that ask for one");
  add_file("--log-key", options.key, "Private key (PEM) of --log-cert");
}

std::optional<std::string> find_wrong_nats_flags(store::NatsOptions const& options) {
  if (options.certificate.empty() == options.key.empty()) return std::nullopt;
  return "--log-cert and --log-key must be given together";
}

}  // namespace whence::tools
