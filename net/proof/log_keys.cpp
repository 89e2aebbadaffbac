// The file: a line with the present key, then one for each earlier one, `until TIME KEY`, whose secret is there while
// it signs.

#include "net/proof/log_keys.hpp"

#include "engine/tree/private_file.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <openssl/rand.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::net {
namespace {

using schema::proof::SigningKey;
using schema::proof::VerifierKey;

constexpr std::string_view until_word = "until ";

[[noreturn]] void throw_no_key(std::filesystem::path const& path, std::string const& why) {
  throw std::runtime_error(path.string() + " holds no key: " + why);
}

EarlierKey parse_earlier(std::filesystem::path const& path, std::string_view line) {
  auto const space = line.starts_with(until_word) ? line.find(' ', until_word.size()) : line.npos;
  if (space == line.npos) throw_no_key(path, "a line after the first is `until TIME KEY`");
  auto const until = schema::parse_rfc3339(line.substr(until_word.size(), space - until_word.size()));
  if (!until) throw_no_key(path, "the time of a line is none");
  auto const text = line.substr(space + 1);
  if (auto secret = SigningKey::parse(text)) {
    auto const key = secret->verifier();
    return {.key = key, .until = *until, .secret = std::move(*secret)};
  }
  auto key = VerifierKey::parse(text);
  if (!key) throw_no_key(path, key.error().message);
  return {.key = std::move(*key), .until = *until};
}

}  // namespace

EarlierKey const* LogKeys::find_signing(schema::Time now) const noexcept {
  if (earlier.empty() || !earlier.front().secret || earlier.front().until <= now) return nullptr;
  return &earlier.front();
}

bool LogKeys::drop_expired(schema::Time now) {
  if (earlier.empty() || !earlier.front().secret || earlier.front().until > now) return false;
  earlier.front().secret.reset();
  return true;
}

std::string LogKeys::sign(std::string text, schema::Time now) const {
  schema::proof::SignedNote note{.text = std::move(text), .signatures = {}};
  note.signatures.push_back(current.sign(note.text));
  if (auto const* const before = find_signing(now)) note.signatures.push_back(before->secret->sign(note.text));
  return schema::proof::format_note(note);
}

LogKeys LogKeys::changed_to(SigningKey next, schema::Time until) const {
  LogKeys changed{.current = std::move(next), .earlier = earlier};
  if (!changed.earlier.empty()) changed.earlier.front().secret.reset();
  changed.earlier.insert(changed.earlier.begin(), {.key = current.verifier(), .until = until, .secret = current});
  if (changed.earlier.size() > earlier_keys_max) changed.earlier.pop_back();
  return changed;
}

SigningKey fresh_key(std::string const& name) {
  std::array<std::uint8_t, 32> seed = {};
  if (RAND_bytes(seed.data(), static_cast<int>(seed.size())) != 1)
    throw std::runtime_error("OpenSSL: RAND_bytes failed");
  auto key = SigningKey::make(name, seed);
  if (!key) throw std::runtime_error(name + " cannot name a key: " + key.error().message);
  return std::move(*key);
}

LogKeys open_keys(std::filesystem::path const& path, std::string const& name) {
  // A key that is there and cannot be read is not replaced: who trusts it would be told of a fork.
  bool const is_there = std::filesystem::exists(std::filesystem::symlink_status(path));
  // A pipe would be waited for until somebody writes to it.
  if (is_there && !std::filesystem::is_regular_file(path)) throw_no_key(path, "it is no file");
  if (!is_there) {
    LogKeys made{.current = fresh_key(name)};
    write_keys(path, made);
    return made;
  }
  std::ifstream file(path);
  if (!file) throw std::system_error(errno, std::generic_category(), path.string());
  std::string line;
  std::getline(file, line);
  auto current = SigningKey::parse(line);
  if (!current) throw_no_key(path, current.error().message);
  LogKeys keys{.current = std::move(*current)};
  while (std::getline(file, line)) keys.earlier.push_back(parse_earlier(path, line));
  return keys;
}

void write_keys(std::filesystem::path const& path, LogKeys const& keys) {
  auto text = keys.current.text() + '\n';
  for (auto const& each : keys.earlier) {
    text.append(until_word).append(schema::format_rfc3339(each.until)).append(" ");
    text.append(each.secret ? each.secret->text() : each.key.text()).append("\n");
  }
  engine::write_privately(path, text);
}

}  // namespace whence::net
