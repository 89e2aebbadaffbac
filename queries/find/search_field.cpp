// The searchable fields of each type follow from its field table. Values that the graph holds are read there: the id,
// the record's own time, and everything about status and scores.

#include "queries/find/search_field.hpp"

#include "queries/view/score.hpp"
#include "schema/base/suggest.hpp"
#include "schema/records/indexed_fields.hpp"
#include "schema/records/record_fields.hpp"
#include "schema/types/named_enum.hpp"
#include "schema/types/ref.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace whence::queries {
namespace {

using graph::Snapshot;
using graph::VertexId;
using schema::RecordType;

std::optional<Value> graph_id(Snapshot const& snapshot, VertexId vertex) {
  return snapshot.id(vertex);
}

std::optional<Value> graph_tx(Snapshot const& snapshot, VertexId vertex) {
  return static_cast<double>(schema::number(snapshot.created(vertex)));
}

std::optional<Value> graph_time(Snapshot const& snapshot, VertexId vertex) {
  auto const time = snapshot.time(vertex);
  if (!time) return std::nullopt;
  return *time;
}

std::optional<Value> graph_status(Snapshot const& snapshot, VertexId vertex) {
  if (!schema::info(snapshot.type(vertex)).has_status) return std::nullopt;
  return schema::name_of(snapshot.state(vertex).status);
}

// The score of a feedback is on its edge.
std::optional<double> feedback_score(Snapshot const& snapshot, VertexId feedback) {
  for (graph::EdgeId const edge : snapshot.relations_from(feedback).edges) {
    if (snapshot.type(edge) == graph::EdgeType::evaluates) return snapshot.value(edge);
  }
  return std::nullopt;
}

std::optional<Value> graph_score(Snapshot const& snapshot, VertexId vertex) {
  std::optional<double> score;
  RecordType const type = snapshot.type(vertex);
  if (schema::info(type).has_status) score = snapshot.state(vertex).score;
  if (is_rated_itself(type)) score = score_of(snapshot, vertex).mean();
  if (type == RecordType::feedback_record) score = feedback_score(snapshot, vertex);
  if (!score) return std::nullopt;
  return *score;
}

std::optional<Value> graph_feedback_count(Snapshot const& snapshot, VertexId vertex) {
  RecordType const type = snapshot.type(vertex);
  if (schema::info(type).has_status) return static_cast<double>(snapshot.state(vertex).count);
  if (is_rated_itself(type)) return static_cast<double>(score_of(snapshot, vertex).count);
  return std::nullopt;
}

/// The kind that `Member` (or its optional value) compares as; nothing for lists and objects.
template <class Member>
struct KindOf {
  static constexpr std::optional<ValueKind> kind = std::nullopt;
};
template <schema::NamedEnum Member>
struct KindOf<Member> {
  static constexpr std::optional<ValueKind> kind = ValueKind::text;
};
template <>
struct KindOf<std::string> {
  static constexpr std::optional<ValueKind> kind = ValueKind::text;
};
template <>
struct KindOf<bool> {
  static constexpr std::optional<ValueKind> kind = ValueKind::flag;
};
template <>
struct KindOf<double> {
  static constexpr std::optional<ValueKind> kind = ValueKind::number;
};
template <>
struct KindOf<std::int64_t> {
  static constexpr std::optional<ValueKind> kind = ValueKind::number;
};
template <>
struct KindOf<schema::Time> {
  static constexpr std::optional<ValueKind> kind = ValueKind::time;
};
template <>
struct KindOf<schema::EpochMs> {
  static constexpr std::optional<ValueKind> kind = ValueKind::epoch_ms;
};
template <class Member>
struct KindOf<std::optional<Member>> : KindOf<Member> {};

Value value_of(std::string const& text) {
  return std::string_view(text);
}
template <schema::NamedEnum Enum>
Value value_of(Enum value) {
  return schema::name_of(value);
}
Value value_of(bool flag) {
  return flag ? 1.0 : 0.0;
}
Value value_of(schema::EpochMs time) {
  return schema::time_of(time);
}
Value value_of(double number) {
  return number;
}
Value value_of(std::int64_t number) {
  return static_cast<double>(number);
}

template <class Member>
std::optional<Value> value_of(std::optional<Member> const& member) {
  if (!member) return std::nullopt;
  return value_of(*member);
}

template <class T, std::size_t I>
std::optional<Value> read_member(schema::Record const& record) {
  return value_of(std::get<T>(record).*std::get<I>(schema::Describe<T>::fields).member);
}

/// Whether `Member` (or its optional value) is a list of texts.
template <class Member>
constexpr bool is_text_list =
    std::is_same_v<Member, std::vector<std::string>> || std::is_same_v<Member, std::optional<std::vector<std::string>>>;

template <class T, std::size_t I>
std::vector<std::string> const* read_list(schema::Record const& record) {
  auto const& member = std::get<T>(record).*std::get<I>(schema::Describe<T>::fields).member;
  if constexpr (requires { member.has_value(); }) {
    return member ? &*member : nullptr;
  } else {
    return &member;
  }
}

constexpr SearchField node_fields[] = {
    {"id", ValueKind::text, graph_id},
    {"tx", ValueKind::number, graph_tx},
};

/// Values that the server keeps for rated sources, for what is rated, and for feedback. Other records may have members
/// of these names.
constexpr SearchField rating_fields[] = {
    {"status", ValueKind::text, graph_status},
    {"score", ValueKind::number, graph_score},
    {"feedback_count", ValueKind::number, graph_feedback_count},
};

/// The topics of a keyword's subjects.
std::vector<std::string> topics_of(schema::Record const& record) {
  std::vector<std::string> topics;
  for (auto const& ref : std::get<schema::Keyword>(record).subjects) {
    auto const subject = schema::parse_ref(ref);
    if (subject) topics.push_back(schema::split_key(subject->id).front());
  }
  return topics;
}

/// The subjects of a keyword, by ref and by their id in the topic.
std::vector<std::string> subjects_of(schema::Record const& record) {
  std::vector<std::string> names;
  for (auto const& ref : std::get<schema::Keyword>(record).subjects) {
    names.push_back(ref);
    auto const subject = schema::parse_ref(ref);
    if (subject) names.push_back(schema::split_key(subject->id).back());
  }
  return names;
}

/// What a keyword is part of, which follows from its `subjects`.
constexpr SearchField keyword_fields[] = {
    {.name = "topic", .kind = ValueKind::text, .texts_from_record = topics_of},
    {.name = "subject", .kind = ValueKind::text, .texts_from_record = subjects_of},
};

/// Where a chunk is from, which is inside its `metadata`.
std::optional<Value> document_of(schema::Record const& record) {
  return std::string_view(std::get<schema::RetrievedChunk>(record).metadata.document_name);
}

constexpr SearchField chunk_fields[] = {
    {.name = "document", .kind = ValueKind::text, .from_record = document_of},
};

std::optional<Value> response_tokens(schema::Record const& record) {
  auto const tokens = schema::tokens_of_response(record);
  return tokens ? std::optional<Value>{*tokens} : std::nullopt;
}

/// How large a response was, which is in its `usage` or its `token_count`.
constexpr SearchField response_fields[] = {
    {.name = "tokens", .kind = ValueKind::number, .from_record = response_tokens},
};

/// Fields of a type that are no members of its records.
std::span<SearchField const> made_fields(RecordType type) {
  if (type == RecordType::keyword) return keyword_fields;
  if (type == RecordType::retrieved_chunk) return chunk_fields;
  if (type == RecordType::response) return response_fields;
  return {};
}

SearchField const* find_in(std::span<SearchField const> fields, std::string_view name) {
  auto const found = std::find_if(fields.begin(), fields.end(), [&](SearchField const& f) { return f.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

/// Whether the member is the record's own time, which the graph has.
template <class T, std::size_t I>
constexpr bool is_own_time() {
  constexpr auto name = std::get<I>(schema::Describe<T>::fields).name;
  return name == "timestamp" || name == "createdAt";
}

template <class T, std::size_t I>
void add_member(std::vector<SearchField>& fields) {
  constexpr auto& field = std::get<I>(schema::Describe<T>::fields);
  using Member = typename std::remove_cvref_t<decltype(field)>::member_type;
  constexpr auto kind = KindOf<Member>::kind;
  if constexpr (is_text_list<Member>) {
    fields.push_back({.name = field.name, .kind = ValueKind::text, .list_from_record = read_list<T, I>});
  }
  if constexpr (kind.has_value()) {
    if (find_in(node_fields, field.name) != nullptr) return;
    if constexpr (schema::info(T::record_type).is_rated) {
      if (find_in(rating_fields, field.name) != nullptr) return;
    }
    if constexpr (is_own_time<T, I>()) {
      fields.push_back({field.name, *kind, graph_time});
    } else {
      fields.push_back({field.name, *kind, nullptr, read_member<T, I>});
    }
  }
}

template <class T>
std::span<SearchField const> member_fields() {
  static std::vector<SearchField> const fields = [] {
    std::vector<SearchField> made;
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (add_member<T, I>(made), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<std::remove_cvref_t<decltype(schema::Describe<T>::fields)>>>{});
    return made;
  }();
  return fields;
}

template <std::size_t... I>
std::span<SearchField const> member_fields(RecordType type, std::index_sequence<I...>) {
  std::span<SearchField const> fields;
  auto const try_one = [&]<class T>() {
    if constexpr (schema::Described<T>) {
      if (T::record_type == type) fields = member_fields<T>();
    }
  };
  (try_one.template operator()<std::variant_alternative_t<I, schema::Record>>(), ...);
  return fields;
}

std::span<SearchField const> member_fields(RecordType type) {
  return member_fields(type, std::make_index_sequence<std::variant_size_v<schema::Record>>{});
}

}  // namespace

SearchField const* find_search_field(RecordType type, std::string_view name) {
  if (auto const* field = find_in(node_fields, name)) return field;
  if (schema::info(type).is_rated) {
    if (auto const* field = find_in(rating_fields, name)) return field;
  }
  if (auto const* field = find_in(made_fields(type), name)) return field;
  return find_in(member_fields(type), name);
}

bool is_in_column(RecordType type, SearchField const& field) noexcept {
  auto const* const indexed = schema::find_indexed_field(type, field.name);
  if (indexed == nullptr || indexed->text == nullptr) return false;
  return indexed->is_list ? field.list_from_record != nullptr : field.from_record != nullptr;
}

std::vector<std::string_view> search_field_names(RecordType type) {
  auto names = schema::names_in(node_fields);
  auto const add = [&](std::span<SearchField const> fields) {
    for (auto const& field : fields) names.push_back(field.name);
  };
  if (schema::info(type).is_rated) add(rating_fields);
  add(made_fields(type));
  add(member_fields(type));
  return names;
}

}  // namespace whence::queries
