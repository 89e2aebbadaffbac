// Groups come in pieces, as `admin.log` answers them, and must follow each other without a gap; the base is empty, so
// that all of the log comes. A server that has another store than at the beginning ends the backup.

#include "tools/cli/backups/wire_source.hpp"

#include "schema/encoding/base64.hpp"

#include <utility>

#include <boost/json/object.hpp>

namespace whence::tools {
namespace {

namespace json = boost::json;

constexpr std::size_t length_bytes = 8;

Error unreadable() {
  return {Errc::corrupt, "the answer of admin.log does not read"};
}

std::optional<std::string> find_text(json::object const& answer, std::string_view name) {
  auto const* const member = answer.if_contains(name);
  if (member == nullptr || !member->is_string()) return std::nullopt;
  return std::string{member->get_string()};
}

/// Takes the next group off the front of `groups`; nothing where its length goes beyond the end.
std::optional<std::span<std::byte const>> take_group(std::string_view& groups) {
  if (groups.size() < length_bytes) return std::nullopt;
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    length |= std::uint64_t{static_cast<unsigned char>(groups[i])} << (8 * i);
  }
  groups.remove_prefix(length_bytes);
  if (length > groups.size()) return std::nullopt;
  auto const group = std::as_bytes(std::span{groups.data(), static_cast<std::size_t>(length)});
  groups.remove_prefix(group.size());
  return group;
}

}  // namespace

Result<WireSource::Piece> WireSource::ask(schema::TxId after, Groups wanted, std::string const& kept) {
  json::object params{{"after", schema::number(after)}};
  if (wanted == Groups::none) params["bytes"] = 0;
  if (!kept.empty()) params["kept"] = kept;
  auto const answer = caller_.call("admin.log", params);
  if (!answer) {
    failure_ = answer.error();
    return Error{Errc::internal_error, answer.error().message};
  }
  auto const* const members = answer->if_object();
  auto const* const head = members != nullptr ? members->if_contains("tx") : nullptr;
  if (head == nullptr || !(head->is_int64() || head->is_uint64())) return unreadable();
  auto epoch = find_text(*members, "epoch");
  auto const leaf = schema::digest_from_hex(find_text(*members, "leaf").value_or(""));
  auto groups = schema::decode_base64url(find_text(*members, "groups").value_or("="));
  if (!epoch || !leaf || !groups) return unreadable();
  if (epoch_.empty()) epoch_ = *epoch;
  if (*epoch != epoch_) return Error{Errc::conflict, "the server has another store now than when the backup began"};
  return Piece{.epoch = std::move(*epoch),
               .head = schema::TxId{head->to_number<std::uint64_t>()},
               .leaf = *leaf,
               .groups = std::move(*groups)};
}

Result<std::string> WireSource::epoch() {
  auto piece = ask(schema::TxId{0}, Groups::none);
  if (!piece) return piece.error();
  return std::move(piece->epoch);
}

Result<schema::TxId> WireSource::head() {
  auto const piece = ask(schema::TxId{0}, Groups::none);
  if (!piece) return piece.error();
  return piece->head;
}

Result<schema::Digest> WireSource::leaf_hash(schema::TxId tx) {
  auto const piece = ask(tx, Groups::none);
  if (!piece) return piece.error();
  return piece->leaf;
}

Result<void> WireSource::read_groups(schema::TxId after, schema::TxId last,
                                     std::function<Result<bool>(store::SentGroup const&)> const& visit) {
  for (bool is_end = after >= last; !is_end;) {  // on to the head of the last answer, as a store does
    auto const piece = ask(after, Groups::some);
    if (!piece) return piece.error();
    std::string_view groups = piece->groups;
    if (groups.empty()) return unreadable();
    while (!groups.empty()) {
      auto const message = take_group(groups);
      if (!message) return unreadable();
      auto const group = store::look_at_group(*message);
      if (!group) return group.error();
      if (group->tx != schema::next(after)) return unreadable();
      after = group->tx;
      auto const visited = visit(*group);
      if (!visited) return visited.error();
      if (!*visited) return {};
    }
    is_end = after >= piece->head;
  }
  return {};
}

Result<store::BackupSource::Base> WireSource::make_base(std::filesystem::path const& directory,
                                                        store::Advance const& /*advance*/) {
  auto const known = epoch();
  if (!known) return known.error();
  if (auto const made = store::make_empty_base(directory, *known); !made) return made.error();
  return Base{};
}

Result<void> WireSource::note(schema::TxId tx, std::string const& place) {
  auto const piece = ask(tx, Groups::none, place);
  if (!piece) return piece.error();
  return {};
}

}  // namespace whence::tools
