// A discussion's file, by way of its records: a round in a file is the record without what the file itself says.
#include "schema/wire/discussion_file.hpp"

#include "schema/base/report.hpp"
#include "schema/checks/bounds.hpp"
#include "schema/json/json.hpp"
#include "schema/json/writer.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/wire/codec.hpp"
#include "schema/wire/decode.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/assert.hpp>

namespace whence::schema::json {
namespace {

namespace bj = boost::json;

constexpr std::string_view user_member = "userId";
constexpr std::string_view discussion_member = "discussionId";

// --- writing

/// Compact JSON laid out with two spaces a level. `compact` is well-formed.
std::string indented(std::string_view compact) {
  std::string text;
  std::size_t level = 0;
  bool is_in_string = false;
  auto const new_line = [&] { text.append("\n").append(2 * level, ' '); };
  for (std::size_t i = 0; i < compact.size(); ++i) {
    char const c = compact[i];
    bool const is_opening = !is_in_string && (c == '{' || c == '[');
    bool const is_closing = !is_in_string && (c == '}' || c == ']');
    bool const is_empty = is_closing && (compact[i - 1] == '{' || compact[i - 1] == '[');
    if (is_closing && level > 0) --level;
    if (is_closing && !is_empty) new_line();
    text.push_back(c);
    if (is_in_string && c == '\\') text.push_back(compact[++i]);
    if (c == '"') is_in_string = !is_in_string;
    if (is_opening) ++level;
    bool const opens_empty = is_opening && (compact[i + 1] == '}' || compact[i + 1] == ']');
    if ((is_opening && !opens_empty) || (!is_in_string && c == ',')) new_line();
    if (!is_in_string && c == ':') text.push_back(' ');
  }
  return text;
}

/// The record as an object without its type, and without the ids where the file says them already.
std::string text_without(Record const& record, std::span<std::pair<std::string_view, std::string_view> const> known) {
  std::string prefix;
  Writer out{prefix};
  out.begin_object().member(type_member, name_of(type_of(record)));
  for (auto const& [name, value] : known) out.member(name, value);
  std::string text = to_text(record);
  BOOST_ASSERT(text.starts_with(prefix + ","));  // known members come first in the tables
  return text.erase(1, prefix.size());
}

template <class T>
std::string text_of_part(T const& part) {
  std::array<std::pair<std::string_view, std::string_view>, 2> const ids = {
      {{user_member, part.user_id}, {discussion_member, part.discussion_id}}};
  return text_without(Record{part}, ids);
}

template <class T>
void write_parts(Writer& out, std::string_view name, std::vector<T> const& parts) {
  out.key(name).begin_array();
  for (auto const& part : parts) out.raw(text_of_part(part));
  out.end_array();
}

/// The members that are the discussion's own, in an object that is still open.
std::string head_of(DiscussionState const& state) {
  auto discussion = state.discussion;
  discussion.updated_at = state.updated_at();
  std::string text = text_without(Record{std::move(discussion)}, {});
  text.pop_back();
  return text;
}

// --- reading

/// One file on the way to its state. What is wrong is gathered; a part that is wrong stays a default.
class FileReader {
 public:
  FileReader(CheckContext const& context, DiscussionName const& name, FileReading reading)
      : context_{context}, name_{name}, reading_{reading} {}

  Result<DiscussionFile> read(std::string_view text) {
    auto document = parse(text);
    if (!document) {
      refuse_part("", "json", document.error().message);
    } else {
      for (auto const& pointer : document->duplicates) {
        refuse_part(pointer, "duplicate_member", "a member may occur once in an object");
      }
      for (auto const& pointer : document->inexact) {
        refuse_part(pointer, inexact_rule, std::string(inexact_message));
      }
      read_value(document->value);
    }
    if (!violations_.empty()) return error_from(std::move(violations_));
    return std::move(file_);
  }

 private:
  void refuse_part(std::string path, std::string_view rule, std::string message) {
    violations_.push_back({.rule = std::string(rule), .path = std::move(path), .message = std::move(message)});
  }

  /// Whether there are enough violations: more would not be reported.
  [[nodiscard]] bool is_full() const noexcept { return violations_.size() >= limits::violations_max; }

  void read_value(bj::value& value) {
    auto* const object = value.if_object();
    if (object == nullptr) return refuse_part("", "type", "a discussion must be an object");
    auto rounds = take(*object, "rounds");
    auto summaries = take(*object, "summaries");
    auto current_summary = take(*object, "currentSummary");
    read_plain(take(*object, "tokenCount"), "tokenCount", tokens_rule, file_.token_count);
    if (keeps() && summaries.is_null() && current_summary.is_null()) {
      keep_unknown<Discussion>(*object, "", {});  // an old summary of unknown rounds too
    } else {
      read_plain(take(*object, "summary"), "summary", rules::any(), file_.summary);
      if (keeps()) keep_unknown<Discussion>(*object, "", {});
    }
    if (keeps()) complete_ids(*object);
    if (auto discussion = read_record<Discussion>(value, "")) file_.state.discussion = *std::move(discussion);
    check_identity();
    if (rounds.is_null()) refuse_part("/rounds", "required", "is required");
    read_rounds(rounds);
    read_summaries(summaries);
    if (!current_summary.is_null()) {
      add_ids(current_summary, "/currentSummary");
      auto const kept = file_.kept.size();
      if (keeps()) keep_unknown_of<SummaryEntry>(current_summary, "/currentSummary");
      file_.current_summary = read_record<SummaryEntry>(current_summary, "/currentSummary");
      if (keeps()) add_current_summary(kept);
    }
  }

  [[nodiscard]] bool keeps() const noexcept { return reading_ == FileReading::keeping; }

  /// The ids that a file leaves to its name.
  void complete_ids(bj::object& object) const {
    for (auto const& [name, value] :
         {std::pair{user_member, name_.user_id}, {discussion_member, name_.discussion_id}}) {
      auto& member = object[name];
      if (member.is_null()) member = value;
    }
  }

  /// The current summary among the others where its number is missing there. `kept`: how many members were kept before
  /// its own.
  void add_current_summary(std::size_t kept) {
    auto& summaries = file_.state.summaries;
    auto const& current = file_.current_summary;
    bool const is_missing =
        current && std::ranges::find(summaries, current->round_number, &SummaryEntry::round_number) == summaries.end();
    if (!is_missing) return file_.kept.resize(kept);
    auto const at = std::ranges::lower_bound(summaries, current->round_number, {}, &SummaryEntry::round_number);
    summaries.insert(at, *current);
    if (current->round_number > last_round()) {
      refuse_number("/currentSummary", current->round_number, "must be a round of the file");
    }
  }

  /// Moves the unknown members of a part, and of the responses in it, to its attributes.
  template <class T>
  void keep_unknown(bj::object& part, std::string const& path, KeptMember const& of) {
    bj::object unknown;
    for_each_field<T>([&](auto const& field) {
      using Member = typename std::remove_cvref_t<decltype(field)>::member_type;
      if constexpr (std::is_same_v<Member, std::optional<ConversationMessage>>) {
        auto* const response = part.if_contains(field.name);
        if (response == nullptr || !response->is_object()) return;
        auto taken =
            take_unknown<ConversationMessage>(response->get_object(), path + "/" + std::string(field.name), of);
        if (!taken.empty()) unknown[field.name] = std::move(taken);
      }
    });
    for (auto& member : take_unknown<T>(part, path, of)) unknown[member.key()] = std::move(member.value());
    if (unknown.empty()) return;
    auto& attributes = part["attributes"];
    if (attributes.is_null()) attributes = bj::object{};
    auto* const into = attributes.if_object();
    if (into == nullptr) return;  // reported with the member
    for (auto& member : unknown) {
      auto const [at, is_new] = into->emplace(member.key(), member.value());
      if (!is_new && at->value() != member.value()) {
        refuse_part(path + "/attributes/" + std::string(member.key()), "unknown_field",
                    "cannot be kept: there is an attribute of this name");
      }
    }
  }

  /// The members of `object` that `T` does not have, taken out of it.
  template <class T>
  bj::object take_unknown(bj::object& object, std::string const& path, KeptMember const& of) {
    std::vector<std::string> names;
    for (auto const& member : object) {
      bool is_known = member.key() == type_member;
      for_each_field<T>(
          [&](auto const& field) { is_known = is_known || field.name == std::string_view(member.key()); });
      if (!is_known) names.emplace_back(member.key());
    }
    bj::object taken;
    for (auto const& name : names) {
      taken[name] = take(object, name);
      std::string pointer = path;
      append_step(pointer, name);
      file_.kept.push_back({.path = std::move(pointer), .round = of.round, .is_of_summary = of.is_of_summary});
    }
    return taken;
  }

  template <class T>
  void keep_unknown_of(bj::value& part, std::string const& path) {
    auto* const object = part.if_object();
    if (object == nullptr) return;
    auto const number = number_of(part);
    keep_unknown<T>(*object, path, {.path = {}, .round = number, .is_of_summary = std::is_same_v<T, SummaryEntry>});
  }

  /// The `roundNumber` of a round or a summary; nothing where it has none.
  static std::optional<std::int64_t> number_of(bj::value const& part) {
    auto const* const object = part.if_object();
    auto const* const number = object == nullptr ? nullptr : object->if_contains("roundNumber");
    return number != nullptr && number->is_int64() ? std::optional(number->get_int64()) : std::nullopt;
  }

  /// The value of a member, taken out of its object; null where there is none.
  static bj::value take(bj::object& object, std::string_view name) {
    auto* const found = object.if_contains(name);
    if (found == nullptr) return nullptr;
    auto value = std::move(*found);
    object.erase(name);
    return value;
  }

  template <class T>
  void read_plain(bj::value const& value, std::string_view name, Rule const& rule, std::optional<T>& into) {
    if (value.is_null()) return;
    std::vector<Violation> found;
    Report report{found};
    Path const root;
    Path const at{root, name};
    decode_value(value, into, rule, at, report);
    check_bounds(into, rule, at, report);
    keep(std::move(found), "");
  }

  void check_identity() {
    auto const& discussion = file_.state.discussion;
    if (!violations_.empty()) return;
    auto const compare = [&](std::string_view member, std::string_view seen, std::string_view expected) {
      if (seen == expected) return;
      violations_.push_back({.rule = "identity",
                             .path = std::string("/").append(member),
                             .seen = shown(seen),
                             .message = "must be " + shown(expected)});
    };
    compare(user_member, discussion.user_id, name_.user_id);
    compare(discussion_member, discussion.discussion_id, name_.discussion_id);
  }

  void read_rounds(bj::value& list) {
    for_each_item<DiscussionRound>(list, "/rounds", [&](bj::value& item, std::string const& path) {
      auto round = read_record<DiscussionRound>(item, path);
      auto const& before = file_.state.rounds;
      auto const least = before.empty() ? 1 : before.back().round_number + 1;
      if (round && round->round_number < least) {
        refuse_number(path, round->round_number, "rounds are numbered from 1, each once", least);
      }
      file_.state.rounds.push_back(round ? *std::move(round) : DiscussionRound{.round_number = least});
    });
  }

  /// The number of the last round of the file, or of a later one that it may lack.
  [[nodiscard]] std::int64_t last_round() const {
    auto const& rounds = file_.state.rounds;
    auto const last = rounds.empty() ? 0 : rounds.back().round_number;
    return name_.missing.empty() ? last : std::max(last, name_.missing.back());
  }

  /// The places of the parts of a list in the order of their numbers; those without one last.
  static std::vector<std::size_t> sorted_places(bj::array const& items) {
    std::vector<std::pair<std::int64_t, std::size_t>> numbered;
    for (std::size_t i = 0; i < items.size(); ++i) {
      numbered.emplace_back(number_of(items[i]).value_or(std::numeric_limits<std::int64_t>::max()), i);
    }
    std::ranges::sort(numbered);
    std::vector<std::size_t> places;
    for (auto const& each : numbered) places.push_back(each.second);
    return places;
  }

  void read_summaries(bj::value& list) {
    auto const rounds = last_round();
    for_each_item<SummaryEntry>(list, "/summaries", [&](bj::value& item, std::string const& path) {
      auto summary = read_record<SummaryEntry>(item, path);
      if (!summary) return;
      auto const* const before = file_.state.current_summary();
      if (summary->round_number > rounds) {
        refuse_number(path, summary->round_number, "must be a round of the file");
      } else if (before != nullptr && summary->round_number <= before->round_number) {
        refuse_number(path, summary->round_number, "there is another summary of this round");
      }
      file_.state.summaries.push_back(*std::move(summary));
    });
  }

  void refuse_number(std::string const& path, std::int64_t seen, std::string message,
                     std::optional<std::int64_t> expected = std::nullopt) {
    violations_.push_back({.rule = "round_number",
                           .path = path + "/roundNumber",
                           .seen = shown(seen),
                           .message = std::move(message),
                           .expected = expected});
  }

  /// Visits the parts in the order of their numbers.
  template <class T, class Visit>
  void for_each_item(bj::value& list, std::string const& path, Visit const& visit) {
    if (list.is_null()) return;
    auto* const items = list.if_array();
    if (items == nullptr) return refuse_part(path, "type", "must be an array");
    for (auto const i : sorted_places(*items)) {
      if (is_full()) return;
      std::string const place = path + "/" + std::to_string(i);
      add_ids((*items)[i], place);
      if (keeps()) keep_unknown_of<T>((*items)[i], place);
      visit((*items)[i], place);
    }
  }

  /// Adds the user and the discussion to a part of the file. The file has them once, so the part may not have them.
  void add_ids(bj::value& part, std::string const& path) {
    auto* const object = part.if_object();
    if (object == nullptr) return;
    for (auto const& [name, value] :
         {std::pair{user_member, name_.user_id}, {discussion_member, name_.discussion_id}}) {
      auto const* const there = object->if_contains(name);
      bool const is_allowed = there == nullptr || (keeps() && *there == bj::value(value));
      if (!is_allowed) refuse_part(path + "/" + std::string(name), "unknown_field", "is no field here");
      (*object)[name] = value;
    }
  }

  /// A part as a record that holds every rule of its own; nothing where it does not.
  template <class T>
  std::optional<T> read_record(bj::value& part, std::string const& path) {
    auto* const object = part.if_object();
    if (object == nullptr) {
      refuse_part(path, "type", "must be an object");
      return std::nullopt;
    }
    if (object->contains(type_member)) refuse_part(path + "/$type$", "unknown_field", "is no field here");
    (*object)[type_member] = name_of(T::record_type);
    auto incoming = decode_record(part);
    check(incoming, context_);
    bool const is_good = incoming.violations.empty();
    keep(std::move(incoming.violations), path);
    if (!is_good) return std::nullopt;
    return std::get<T>(std::move(incoming.record));
  }

  void keep(std::vector<Violation>&& found, std::string const& path) {
    for (auto& violation : found) {
      violation.path.insert(0, path);
      violations_.push_back(std::move(violation));
    }
  }

  CheckContext const& context_;
  DiscussionName const& name_;
  FileReading const reading_;
  std::vector<Violation> violations_ = {};
  DiscussionFile file_ = {};
};

}  // namespace

std::string file_text_of(DiscussionRound const& round) {
  return text_of_part(round);
}

std::string file_text_of(SummaryEntry const& summary) {
  return text_of_part(summary);
}

std::string discussion_file_text(DiscussionState const& state, TokenRules const& rules) {
  BOOST_ASSERT(state.open_round() == nullptr);
  std::string rest;
  Writer out{rest};
  out.begin_object().member("tokenCount", state.tokens(rules).total());
  write_parts(out, "rounds", state.rounds);
  write_parts(out, "summaries", state.summaries);
  if (auto const* summary = state.current_summary()) {
    out.key("currentSummary").raw(text_of_part(*summary)).member("summary", summary->summary);
  }
  out.end_object();
  return indented(head_of(state).append(",").append(rest, 1)) + "\n";
}

Result<DiscussionFile> parse_discussion_file(std::string_view text, CheckContext const& context,
                                             DiscussionName const& name, FileReading reading) {
  return FileReader{context, name, reading}.read(text);
}

bool has_kept_members(DiscussionState const& stored, DiscussionFile const& file) {
  auto const same = [](auto const& mine, auto const& theirs, std::int64_t number) {
    auto const a = std::ranges::find(mine, number, [](auto const& each) { return each.round_number; });
    auto const b = std::ranges::find(theirs, number, [](auto const& each) { return each.round_number; });
    return a != mine.end() && b != theirs.end() && a->attributes == b->attributes;
  };
  return std::ranges::all_of(file.kept, [&](KeptMember const& kept) {
    if (!kept.round) return stored.discussion.attributes == file.state.discussion.attributes;
    return kept.is_of_summary ? same(stored.summaries, file.state.summaries, *kept.round)
                              : same(stored.rounds, file.state.rounds, *kept.round);
  });
}

}  // namespace whence::schema::json
