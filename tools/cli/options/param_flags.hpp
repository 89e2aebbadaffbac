#pragma once
// The params of a method as flags. Names, kinds and help come from the method's table of fields, so that the command
// line always agrees with the protocol.

#include "net/params/query_params.hpp"
#include "queries/conversation/params.hpp"
#include "queries/discussion/params.hpp"
#include "queries/find/params.hpp"
#include "queries/history/params.hpp"
#include "queries/lineage/params.hpp"
#include "queries/live/match.hpp"
#include "queries/retrieval/params.hpp"
#include "schema/base/error.hpp"
#include "schema/base/optional.hpp"
#include "schema/base/time.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <CLI/App.hpp>
#include <boost/json/object.hpp>

namespace whence::tools {

/// How a flag's text becomes a JSON value.
enum class FlagKind : std::uint8_t {
  text,
  number,
  boolean,  ///< without a value true; `--name=false`
  texts,    ///< given several times
  names,    ///< A,B,C
  moment,   ///< a transaction id or a time
  range,    ///< T0,T1; either may be empty
  special,  ///< no flag is made for it: the verb defines its own
};

/// One param as a flag.
struct ParamFlag {
  std::string_view name;  ///< in the protocol: `edge_types` is `--edge-types`
  FlagKind kind;
  bool is_required;
  std::string_view doc;
  std::string placeholder = {};  ///< what its value is, such as "nodes|edges|graph"; empty: by its kind
};

namespace detail {

/// Lists whose items are single words.
template <class T>
inline constexpr bool is_list_of_words = false;
template <class Word>
inline constexpr bool is_list_of_words<std::vector<Word>> = std::is_enum_v<Word> || std::is_same_v<Word, std::string>;

template <class Member>
constexpr FlagKind kind_of() {
  using T = schema::value_type_t<Member>;
  if constexpr (std::is_same_v<T, bool>) {
    return FlagKind::boolean;
  } else if constexpr (std::is_arithmetic_v<T>) {
    return FlagKind::number;
  } else if constexpr (std::is_same_v<T, std::vector<schema::NodeRef>>) {
    return FlagKind::texts;
  } else if constexpr (is_list_of_words<T> || std::is_same_v<T, schema::EdgeTypeSet> ||
                       std::is_same_v<T, schema::RecordTypeSet>) {
    return FlagKind::names;
  } else if constexpr (std::is_same_v<T, queries::AsOf>) {
    return FlagKind::moment;
  } else if constexpr (std::is_same_v<T, queries::TimeRange>) {
    return FlagKind::range;
  } else if constexpr (std::is_same_v<T, std::vector<queries::Condition>> || std::is_same_v<T, queries::Order>) {
    return FlagKind::special;
  } else {
    static_assert(std::is_same_v<T, std::string> || std::is_same_v<T, schema::NodeRef> || std::is_enum_v<T>);
    return FlagKind::text;
  }
}

/// The names of an enumeration, if it has such and all of them can be typed as they are.
template <class Word>
std::string words_of(char /*separator*/) {
  return {};
}
template <schema::NamedEnum Enum>
std::string words_of(char separator) {
  std::string words;
  for (auto const name : schema::names_of<Enum>) {
    bool const is_word = name.find_first_of(" ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string_view::npos;
    if (!is_word) return {};
    if (!words.empty()) words += separator;
    words += name;
  }
  return words;
}

template <class Member>
std::string placeholder_of() {
  using T = schema::value_type_t<Member>;
  if constexpr (std::is_same_v<T, schema::RecordType>) {
    return "TYPE";
  } else if constexpr (std::is_same_v<T, schema::RecordTypeSet>) {
    return "TYPE,...";
  } else if constexpr (std::is_same_v<T, schema::EdgeTypeSet>) {
    return "EDGE,...";
  } else if constexpr (std::is_same_v<T, schema::NodeRef> || std::is_same_v<T, std::vector<schema::NodeRef>>) {
    return "REF";
  } else if constexpr (std::is_enum_v<T>) {
    return words_of<T>('|');
  } else if constexpr (std::is_same_v<T, std::vector<schema::Basis>>) {
    return {};  // six names would fill the line
  } else if constexpr (is_list_of_words<T>) {
    return words_of<typename T::value_type>(',');
  } else {
    return {};
  }
}

}  // namespace detail

/// The params of a method, in the order of its table.
template <schema::Described Params>
[[nodiscard]] std::vector<ParamFlag> flags_of() {
  std::vector<ParamFlag> flags;
  schema::for_each_field<Params>([&](auto const& field) {
    using Member = typename std::remove_cvref_t<decltype(field)>::member_type;
    flags.push_back({.name = field.name,
                     .kind = detail::kind_of<Member>(),
                     .is_required = field.presence == schema::Presence::required,
                     .doc = field.doc,
                     .placeholder = detail::placeholder_of<Member>()});
  });
  return flags;
}

/// The params that every read takes in addition to its own: as_of, min_tx, timeout_ms, limit, cursor.
[[nodiscard]] std::vector<ParamFlag> common_read_flags();

/// The one of them that `rpc` also takes.
[[nodiscard]] ParamFlag as_of_flag();

/// A time as the protocol has it, of what a person writes: `yesterday` and a date (2025-10-11) are the last moment of
/// that day in UTC, `-2h` (s, m, h, d) is so long before `now`. All else is given back as it is, for the server to
/// judge.
[[nodiscard]] std::string moment_of(std::string_view text, schema::Time now);

/// As `moment_of`, but a day is its first moment: what happened since then, that day included.
[[nodiscard]] std::string beginning_of(std::string_view text, schema::Time now);

/// A flag on a command line, and its values.
struct BoundFlag {
  ParamFlag flag;
  std::vector<std::string> values = {};  ///< none: it was not given
};

/// Adds `bound` to a verb as `--name-with-dashes`, and as a positional argument where `is_positional`. `bound` must
/// stay where it is.
void add_flag(CLI::App& verb, BoundFlag& bound, bool is_positional);

/// Adds the flag's value to `params`, if the flag was given. Fails with `invalid_params` naming the flag on a malformed
/// number.
[[nodiscard]] Result<void> put_param(boost::json::object& params, BoundFlag const& bound);

/// `edge_types` as it is typed: "--edge-types".
[[nodiscard]] std::string flag_name(std::string_view param);

}  // namespace whence::tools
