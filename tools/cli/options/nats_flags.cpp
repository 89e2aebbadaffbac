#include "tools/cli/options/nats_flags.hpp"

#include "net/access/secret_file.hpp"
#include "tools/cli/options/settings.hpp"

namespace whence::tools {

void add_nats_flags(CLI::App& verb, store::NatsOptions& options) {
  auto const add_file = [&](char const* name, std::string& path, char const* doc) {
    make_setting(verb.add_option(name, path, doc))->type_name("FILE");
  };
  make_setting(verb.add_option("--log-user", options.user, "User of NATS with a password"))->type_name("NAME");
  add_file("--log-password", options.password, "File with the password of --log-user");
  add_file("--log-credentials", options.credentials, "Credentials of a user of NATS (JWT and nkey seed)");
  make_setting(verb.add_option("--log-nkey", options.nkey, "Public nkey of a user of NATS that has no JWT"))
      ->type_name("KEY");
  add_file("--log-nkey-seed", options.nkey_seed, "Seed of --log-nkey");
  add_file("--log-ca", options.ca, "Certificates (PEM) that those of the NATS servers are checked with");
  add_file("--log-cert", options.certificate, "Certificate chain (PEM) for NATS servers that ask for one");
  add_file("--log-key", options.key, "Private key (PEM) of --log-cert");
}

std::optional<std::string> find_wrong_nats_flags(store::NatsOptions const& options) {
  if (options.certificate.empty() != options.key.empty()) return "--log-cert and --log-key must be given together";
  if (options.nkey.empty() != options.nkey_seed.empty()) return "--log-nkey and --log-nkey-seed must be given together";
  if (!options.nkey.empty() && !options.credentials.empty())
    return "--log-nkey is for users without a JWT: give it or --log-credentials";
  if (options.user.empty() != options.password.empty()) return "--log-user and --log-password must be given together";
  for (auto const& secret : {options.credentials, options.nkey_seed, options.key, options.password}) {
    if (secret.empty()) continue;
    if (auto const checked = net::check_secret_file(secret); !checked) return checked.error().message;
  }
  return std::nullopt;
}

}  // namespace whence::tools
