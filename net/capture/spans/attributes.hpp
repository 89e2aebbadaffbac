#pragma once
// The attributes of a span or an event by what they mean, as the table of conventions has it. What was read is
// remembered, so that the rest is kept with what is made of the span.

#include "net/capture/messages/message.hpp"
#include "net/capture/spans/mapping.hpp"
#include "net/capture/spans/telemetry.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace whence::net::capture {

/// A text as a model's numbers.
struct EmbeddedText {
  std::string text = {};  ///< empty: the span does not say it
  std::vector<float> numbers = {};

  friend bool operator==(EmbeddedText const&, EmbeddedText const&) = default;
};

/// Somebody's or some program's rating of what a span did.
struct Evaluation {
  SpanName of = {};              ///< empty where only the response's id is named
  std::string response_id = {};  ///< as the model's provider named what is rated; may be empty
  std::string name = {};
  std::optional<double> score = {};
  std::string label = {};
  std::string text = {};
  Nanos time = 0;
  AttributeMap rest = {};  ///< what an event says beside these, a score that is no number among it
};

/// A number, or the text of one; nothing where it is none, or not finite.
[[nodiscard]] std::optional<double> number_of(boost::json::value const* held);

/// A number that counts: whole, not negative, and one that every client holds exactly.
[[nodiscard]] std::optional<std::int64_t> counted(boost::json::value const* held);

/// The smallest of some attributes, as far as `room` bytes allow.
[[nodiscard]] AttributeMap smallest_of(AttributeMap const& all, std::size_t room);

/// Whether a rating has a score, a label, an explanation or anything else but its name.
[[nodiscard]] bool says_something(Evaluation const& rating);

/// The members of a family, `NAME.0.REST` -> 0 -> REST, in the order of their numbers.
using Family = std::map<std::uint64_t, boost::json::object>;

/// The attributes of one span or event by meaning. Remembers which were asked for. Refers to the map; of one thread.
class Attributes {
 public:
  explicit Attributes(AttributeMap const& all) : all_(all) {}

  [[nodiscard]] boost::json::value const* find(std::string_view name);

  [[nodiscard]] boost::json::value const* peek(std::string_view name) const { return all_.if_contains(name); }

  /// The first value of the meaning that is not a family's, and says something. It is used, with others that say the
  /// same.
  [[nodiscard]] boost::json::value const* first(Meaning meaning);

  /// As `first`, of the values that fit. Others stay under their names.
  [[nodiscard]] boost::json::value const* first(Meaning meaning, bool (*fits)(boost::json::value const&));

  /// Whether there are messages of the meaning. None is used.
  [[nodiscard]] bool has_messages(Meaning meaning) const { return !Attributes(all_).messages(meaning, {}).empty(); }

  /// As `first`, but it is not used.
  [[nodiscard]] boost::json::value const* peek_first(Meaning meaning) const { return Attributes(all_).first(meaning); }

  /// The JSON object that an attribute of the meaning holds, of which only a part is read: it is not used.
  [[nodiscard]] boost::json::object held(Meaning meaning) const;

  /// Keeps a part of the attribute that was read of a meaning; null: all of it went somewhere.
  void keep_part(Meaning meaning, boost::json::value part);

  /// The first name that `fits`; empty: there is none.
  [[nodiscard]] std::string first_name(bool (*fits)(std::string_view)) const;

  /// The name that a meaning's attribute gives, which is kept beside what is made of it. A long one is its digest.
  [[nodiscard]] std::string kept_text(Meaning meaning) const;

  [[nodiscard]] std::string text(Meaning meaning);

  /// The messages of the meaning, of the first row that has some.
  [[nodiscard]] std::vector<Message> messages(Meaning meaning, std::string_view role);

  /// The messages of the first value of a meaning that is one text, or holds them; none where there is no such value.
  [[nodiscard]] std::vector<Message> messages_of_first(Meaning meaning, std::string_view role);

  /// As `messages_of_first`, but none is used.
  [[nodiscard]] std::vector<Message> peek_messages_of_first(Meaning meaning, std::string_view role) const {
    return Attributes(all_).messages_of_first(meaning, role);
  }

  /// The documents that a retrieval found, as objects with plain names.
  [[nodiscard]] std::vector<boost::json::object> documents();

  /// The texts that were made numbers, with these; without numbers where they are none.
  [[nodiscard]] std::vector<EmbeddedText> embeddings();

  /// Ratings that an evaluator wrote on the span.
  [[nodiscard]] std::vector<Evaluation> ratings(SpanName const& of, Nanos time);

  /// What was not asked for.
  [[nodiscard]] AttributeMap rest() const;

 private:
  /// The messages of an attribute's value. Where there are some it is used, but for what no message keeps of it.
  [[nodiscard]] std::vector<Message> read_messages(MappingRow const& row, boost::json::value const& value,
                                                   std::string_view role);

  /// Whether the type beside a value (`output.mime_type` beside `output.value`) says that it is a text.
  [[nodiscard]] bool says_plain_text(std::string_view name) const;

  /// Members of a message that it does not keep are not used.
  void keep_left(std::string_view family, std::uint64_t number, boost::json::object const& members,
                 boost::json::value const& value);

  /// Of documents, what no passage keeps.
  void keep_left(std::string_view name, std::vector<boost::json::object> const& documents);

  void unuse(std::string_view family, std::uint64_t number, std::string_view tail);

  [[nodiscard]] Family family(std::string_view name);

  AttributeMap const& all_;
  std::set<std::string> used_;
  std::map<std::string, boost::json::value> left_;  // of used ones: what no message or passage keeps
};

}  // namespace whence::net::capture
