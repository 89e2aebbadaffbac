#include "tools/cli/imports/gone_records.hpp"

#include "schema/json/json.hpp"

#include <algorithm>

namespace whence::tools {
namespace {

namespace json = boost::json;

std::string_view text_at(json::object const& event, std::string_view name) {
  auto const* const held = event.if_contains(name);
  auto const* const text = held == nullptr ? nullptr : held->if_string();
  return text == nullptr ? std::string_view{} : std::string_view{text->data(), text->size()};
}

bool is_true(json::object const& event, std::string_view name) {
  auto const* const held = event.if_contains(name);
  return held != nullptr && held->is_bool() && held->get_bool();
}

std::uint64_t number_at(json::object const& event, std::string_view name) {
  auto const* const held = event.if_contains(name);
  return held != nullptr && held->is_int64() ? static_cast<std::uint64_t>(held->get_int64()) : 0;
}

}  // namespace

void GoneRecords::take(json::object const& event) {
  auto const op = text_at(event, "op");
  bool const is_written = op == "put" || op == "version";
  if (is_written && !is_true(event, "expired")) return;
  std::string const ref{text_at(event, "ref")};
  auto const set_pending = [&](Life& life, bool is_pending) {
    if (life.is_pending != is_pending) is_pending ? ++count_ : --count_;
    life.is_pending = is_pending;
  };
  if (is_written) {
    auto& lives = lives_[ref];
    bool const goes_on = op == "version" && !lives.empty() && !lives.back().is_deleted;
    if (!goes_on) lives.push_back({.put = number_at(event, "tx")});
    lives.back().is_purged = is_true(event, "purged");
    return set_pending(lives.back(), true);
  }
  auto const known = lives_.find(ref);
  if (known == lives_.end()) return;
  auto& lives = known->second;
  if (op == "delete") lives.back().is_deleted = true;
  if (op != "expire") return;
  auto const put = number_at(event, "put");
  auto const life = std::ranges::find_if(
      lives, [&](Life const& each) { return put == 0 ? !each.is_deleted : each.is_deleted && each.put == put; });
  if (life != lives.end()) set_pending(*life, false);
}

std::vector<std::string> GoneRecords::lines_after(std::uint64_t tx, std::string_view at) const {
  std::vector<std::string> lines;
  for (bool const is_purged : {false, true}) {
    bool is_first = true;
    for (auto const& [ref, lives] : lives_) {
      for (auto const& life : lives) {
        if (!life.is_pending || life.is_purged != is_purged) continue;
        if (is_first) ++tx;
        is_first = false;
        json::object line{{"tx", tx}, {"at", at}, {"op", "expire"}, {"ref", ref}};
        if (life.is_deleted) line["put"] = life.put;
        if (is_purged) line["purged"] = true;
        lines.push_back(schema::json::to_text(line));
      }
    }
  }
  return lines;
}

}  // namespace whence::tools
