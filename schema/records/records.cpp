// What all records have in common, asked of any of them.
#include "schema/records/records.hpp"

#include "schema/records/discussion/discussion.hpp"
#include "schema/records/ref.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ostream>
#include <type_traits>
#include <utility>

#include <boost/assert.hpp>

namespace whence::schema {
namespace {

/// Indexed by `ContextType`.
constexpr std::array<std::string_view, 4> context_type_names = {"System", "User", "External", "ModelState"};

constexpr std::string_view blob_scheme = "sha256://";

/// The number that ends a joined id.
std::int64_t number_in(std::string_view text) {
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// How each record's id is made of its members and taken apart again. Most have one member that is the id.
template <class T>
struct Identity {
  static std::string get(T const& record) { return record.id; }
  static void set(T& record, std::string_view id) { record.id = id; }
};

template <>
struct Identity<LineageManifest> {
  static std::string get(LineageManifest const& record) { return record.response_id; }
  static void set(LineageManifest& record, std::string_view id) { record.response_id = id; }
};

template <>
struct Identity<XmlMessageAttachment> {
  static std::string get(XmlMessageAttachment const& record) { return record.hash; }
  static void set(XmlMessageAttachment& record, std::string_view id) { record.hash = id; }
};

template <>
struct Identity<Keyword> {
  static std::string get(Keyword const& record) { return record.term; }
  static void set(Keyword& record, std::string_view id) { record.term = id; }
};

template <>
struct Identity<Subject> {
  static std::string get(Subject const& record) { return join_key({record.topic, record.id}); }
  static void set(Subject& record, std::string_view id) {
    auto parts = split_key(id);
    BOOST_ASSERT(parts.size() == 2);
    record.topic = std::move(parts.front());
    record.id = std::move(parts.back());
  }
};

template <>
struct Identity<Summary> {
  static std::string get(Summary const& record) { return record.id; }
  /// The version follows the last "-v"; where there is none the id is not one of a summary, and stays all there is.
  static void set(Summary& record, std::string_view id) {
    record.id = id;
    auto const mark = id.rfind("-v");
    if (mark == std::string_view::npos) return;
    auto const digits = id.substr(mark + 2);
    record.version = number_in(digits);
    record.topic = id.substr(0, mark);
  }
};

template <>
struct Identity<SystemPromptTemplate> {
  static std::string get(SystemPromptTemplate const& record) {
    return join_key({record.model_id, std::to_string(record.version)});
  }
  static void set(SystemPromptTemplate& record, std::string_view id) {
    auto const parts = split_key(id);
    BOOST_ASSERT(parts.size() == 2);
    record.model_id = parts.front();
    record.version = number_in(parts.back());
  }
};

template <>
struct Identity<Discussion> {
  static std::string get(Discussion const& record) { return discussion_key(record.user_id, record.discussion_id); }
  static void set(Discussion& record, std::string_view id) {
    auto parts = split_key(id);
    BOOST_ASSERT(parts.size() == 2);
    record.user_id = std::move(parts.front());
    record.discussion_id = std::move(parts.back());
  }
};

/// Rounds and summaries are known by their discussion and a round's number.
template <class T>
struct NumberedIdentity {
  static std::string get(T const& record) {
    return round_key(record.user_id, record.discussion_id, record.round_number);
  }
  static void set(T& record, std::string_view id) {
    auto parts = split_key(id);
    BOOST_ASSERT(parts.size() == 3);
    parts.resize(3);  // a damaged id must not be read beyond its end
    record.user_id = std::move(parts[0]);
    record.discussion_id = std::move(parts[1]);
    record.round_number = number_in(parts[2]);
    if constexpr (std::is_same_v<T, DiscussionRound>) name_speakers(record);
  }
};
template <>
struct Identity<DiscussionRound> : NumberedIdentity<DiscussionRound> {};
template <>
struct Identity<SummaryEntry> : NumberedIdentity<SummaryEntry> {};

template <>
struct Identity<Document> {
  static std::string get(Document const& record) { return record.document_name; }
  static void set(Document& record, std::string_view id) { record.document_name = id; }
};

template <>
struct Identity<RetrievedChunk> {
  static std::string get(RetrievedChunk const& record) { return record.chunk_id; }
  static void set(RetrievedChunk& record, std::string_view id) { record.chunk_id = id; }
};

/// All of one request is known by its id.
template <class T>
struct RequestIdentity {
  static std::string get(T const& record) { return record.request_id; }
  static void set(T& record, std::string_view id) { record.request_id = id; }
};
template <>
struct Identity<Query> : RequestIdentity<Query> {};
template <>
struct Identity<EmbeddingVector> : RequestIdentity<EmbeddingVector> {};
template <>
struct Identity<PromptContext> : RequestIdentity<PromptContext> {};
template <>
struct Identity<Answer> : RequestIdentity<Answer> {};

template <>
struct Identity<Citation> {
  static std::string get(Citation const& record) { return record.request_id.value_or(""); }
  static void set(Citation& record, std::string_view id) { record.request_id = id; }
};

/// A record's own time in any of the forms in which it has one.
std::optional<Time> instant(Time time) {
  return time;
}
std::optional<Time> instant(EpochMs time) {
  return time_of(time);
}
template <class T>
std::optional<Time> instant(std::optional<T> const& time) {
  return time ? instant(*time) : std::nullopt;
}

/// The blank record of each type in `Record`, found by trying them in turn.
template <std::size_t... I>
std::optional<Record> blank_of(RecordType type, std::index_sequence<I...>) {
  std::optional<Record> blank;
  auto const try_one = [&]<class T>(T record) {
    if (T::record_type == type) blank = std::move(record);
  };
  (try_one(std::variant_alternative_t<I, Record>{}), ...);
  return blank;
}

}  // namespace

RecordType type_of(Record const& record) noexcept {
  return std::visit([](auto const& each) { return each.record_type; }, record);
}

std::optional<Record> blank_record(RecordType type) {
  return blank_of(type, std::make_index_sequence<std::variant_size_v<Record>>{});
}

std::string node_id_of(Record const& record) {
  return std::visit([]<class T>(T const& each) { return Identity<T>::get(each); }, record);
}

void set_node_id(Record& record, std::string_view id) {
  std::visit([&]<class T>(T& each) { Identity<T>::set(each, id); }, record);
}

std::optional<Digest> blob_digest(std::string_view xml_blob) {
  if (!xml_blob.starts_with(blob_scheme)) return std::nullopt;
  return digest_from_hex(xml_blob.substr(blob_scheme.size()));
}

std::string blob_name(Digest const& digest) {
  return std::string(blob_scheme) + to_hex(digest);
}

std::string summary_id(std::string_view topic, std::int64_t version) {
  return std::string(topic).append("-v").append(std::to_string(version));
}

std::optional<Time> time_of(Record const& record) noexcept {
  return std::visit(
      [](auto const& each) -> std::optional<Time> {
        if constexpr (requires { each.timestamp; }) {
          return instant(each.timestamp);
        } else if constexpr (requires { each.created_at; }) {
          return instant(each.created_at);
        } else {
          return std::nullopt;
        }
      },
      record);
}

std::string_view name_of(ContextType type) noexcept {
  BOOST_ASSERT(static_cast<std::size_t>(type) < context_type_names.size());
  return context_type_names[static_cast<std::size_t>(type)];
}

std::optional<ContextType> find_context_type(std::string_view name) noexcept {
  auto const found = std::ranges::find(context_type_names, name);
  if (found == context_type_names.end()) return std::nullopt;
  return static_cast<ContextType>(found - context_type_names.begin());
}

std::ostream& operator<<(std::ostream& out, ContextType type) {
  return out << name_of(type);
}

}  // namespace whence::schema
