// Sealing contents, and opening them.
#include "schema/stored/sealed.hpp"

#include "schema/json/writer.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/stored/message.hpp"
#include "schema/wire/codec.hpp"

#include <algorithm>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <openssl/rand.h>

namespace whence::schema::stored {
namespace {

constexpr std::size_t salt_bytes = sizeof(Salt);
constexpr std::size_t salt_words = salt_bytes / sizeof(std::uint64_t);

/// The members of a `T` that follow from its id.
template <class T>
std::vector<std::string_view> members_in_id() {
  if constexpr (requires { T::members_in_id; }) {
    return {T::members_in_id.begin(), T::members_in_id.end()};
  } else if constexpr (requires { T::id_member; }) {
    std::vector<std::string_view> names;
    for_each_field<T>([&](auto const& each) {
      if constexpr (std::is_same_v<decltype(each.member), std::remove_const_t<decltype(T::id_member)>>) {
        if (each.member == T::id_member) names.push_back(each.name);
      }
    });
    return names;
  } else {
    return {"id"};
  }
}

struct Parts {
  std::span<std::byte const> salt;
  std::span<std::byte const> words;
};

Result<Parts> split(std::span<std::byte const> content) {
  if (content.size() <= salt_bytes) return corrupt("it has no salt");
  return Parts{content.first(salt_bytes), content.subspan(salt_bytes)};
}

/// To somebody without this program a salt; to the store it covers the words, too.
Digest outer_salt(Parts const& parts) {
  auto const form = sha256(parts.words);
  return sha256({parts.salt, std::as_bytes(std::span{form.bytes})});
}

/// The digests of texts that are kept apart: without them nothing would be said of the texts.
void write_digests(json::Writer& out, Record const& record) {
  std::visit(
      [&](auto const& each) {
        if constexpr (requires { each.content_blob; }) {
          if (each.content_blob) out.member("content_sha256", to_hex(*each.content_blob));
        }
        if constexpr (requires { each.prompt_blob; }) {
          if (each.prompt_blob) out.member("prompt_sha256", to_hex(*each.prompt_blob));
        }
      },
      record);
}

/// What the words say, which is what they commit to, whatever was given.
Result<std::string> text_of(RecordType type, std::span<std::byte const> words, RevisionKind kind) {
  auto const record = decode(type, words);
  if (!record) return record.error();
  auto const& in_row = members_in_row(type);
  std::string text;
  json::Writer out{text};
  out.begin_object();
  json::write_wanted_members(out, *record, [&](std::string_view name, bool is_blank) {
    bool const is_said = kind == RevisionKind::whole || !is_blank;
    return is_said && std::ranges::find(in_row, name) == in_row.end();
  });
  write_digests(out, *record);
  out.end_object();
  return text;
}

}  // namespace

std::vector<std::string_view> const& members_in_row(RecordType type) {
  static auto const all = [] {
    std::vector<std::vector<std::string_view>> names;
#define WHENCE_NAMES(number, enumerator, Struct, ...) names.push_back(members_in_id<Struct>());
    WHENCE_RECORD_TYPES(WHENCE_NAMES)
#undef WHENCE_NAMES
    names[static_cast<std::size_t>(RecordType::response) - 1].emplace_back("context_units");
    return names;
  }();
  return all[static_cast<std::size_t>(type) - 1];
}

/// Many are asked for at once: a call for one takes longer than sealing.
Salt fresh_salt() {
  struct Pool {
    std::array<Salt, 64> salts = {};
    std::size_t used = 64;
  };
  thread_local Pool pool;
  if (pool.used == pool.salts.size()) {
    auto* const bytes = reinterpret_cast<unsigned char*>(pool.salts.data());
    if (RAND_bytes(bytes, static_cast<int>(sizeof pool.salts)) != 1) {
      throw std::runtime_error("OpenSSL: RAND_bytes failed");
    }
    pool.used = 0;
  }
  return std::exchange(pool.salts[pool.used++], {});
}

Sealed seal(Record const& record, Salt const& salt, RevisionKind kind) {
  auto const words = encode(record);
  Sealed sealed;
  sealed.words.resize(salt_words + words.size());
  auto const content = std::as_writable_bytes(std::span{sealed.words});
  std::ranges::copy(salt, content.begin());
  std::ranges::copy(words, sealed.words.begin() + salt_words);
  auto const commitment = commitment_of(type_of(record), content, kind);
  if (!commitment) throw std::logic_error("a stored form that does not read: " + commitment.error().message);
  sealed.commitment = *commitment;
  return sealed;
}

Result<Record> unseal(RecordType type, std::span<std::byte const> content) {
  auto const parts = split(content);
  if (!parts) return parts.error();
  return decode(type, parts->words);
}

Result<Opening> open(RecordType type, std::span<std::byte const> content, RevisionKind kind) {
  auto const parts = split(content);
  if (!parts) return parts.error();
  auto text = text_of(type, parts->words, kind);
  if (!text) return text.error();
  return Opening{.salt = outer_salt(*parts), .text = std::move(*text)};
}

Result<Digest> commitment_of(RecordType type, std::span<std::byte const> content, RevisionKind kind) {
  auto const parts = split(content);
  if (!parts) return parts.error();
  auto const text = text_of(type, parts->words, kind);
  if (!text) return text.error();
  auto const salt = outer_salt(*parts);
  return sha256({std::as_bytes(std::span{salt.bytes}), std::as_bytes(std::span{*text})});
}

}  // namespace whence::schema::stored
