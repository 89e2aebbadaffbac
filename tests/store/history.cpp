// Making histories and describing stores.

#include "tests/store/history.hpp"

#include "schema/records/links.hpp"
#include "store/rows/row_codec.hpp"
#include "tests/support/builders.hpp"

#include <array>
#include <exception>
#include <sstream>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace whence::test {
namespace {

using schema::VertexId;
using schema::stored::ChangeKind;

void add_hex(std::string& out, std::span<std::byte const> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  for (std::byte const byte : bytes) {
    out += digits[std::to_integer<unsigned>(byte) >> 4U];
    out += digits[std::to_integer<unsigned>(byte) & 15U];
  }
  out += '\n';
}

void describe_vertices(char const* what, std::span<VertexId const> vertices, std::ostream& out) {
  out << ' ' << what;
  for (VertexId const vertex : vertices) out << ' ' << schema::number(vertex);
}

template <class Row>
void describe_rows(std::span<Row const> rows, std::string& out) {
  for (Row const& row : rows) {
    std::vector<std::byte> bytes;
    encode_row(row, bytes);
    add_hex(out, bytes);
  }
}

void describe_block(store::ReplayedCommit const& commit, std::string& out) {
  std::ostringstream line;
  line << "tx " << schema::number(commit.tx) << " at " << commit.at;
  describe_vertices("deletes", commit.hidden, line);
  describe_vertices("deprecates", commit.deprecated, line);
  out += line.str() + '\n';
  describe_rows(commit.rows, out);
  describe_rows(commit.revisions, out);
}

Result<void> describe_content(store::Store const& store, schema::Record const& record, std::string& out) {
  add_hex(out, schema::stored::bytes_of(schema::stored::encode(record)));
  auto const* const attachment = std::get_if<schema::XmlMessageAttachment>(&record);
  if (attachment == nullptr || !attachment->xml_blob) return {};
  auto const digest = schema::blob_digest(*attachment->xml_blob);
  if (!digest) return Error{Errc::corrupt, "an attachment names no blob"};
  auto const blob = store.read_blob(*digest);
  if (!blob) return blob.error();
  out += blob->value_or("no blob") + '\n';
  return {};
}

Result<void> describe_log(store::Store const& store, schema::TxId head, std::string& out) {
  for (schema::TxId tx{1}; tx <= head; tx = schema::next(tx)) {
    auto const entry = store.log_entry(tx);
    if (!entry) return entry.error();
    add_hex(out, schema::stored::bytes_of(schema::stored::encode(*entry)));
    if (entry->idempotency_key.empty()) continue;
    auto const answer = store.find_kept_answer(entry->idempotency_key);
    if (!answer) return answer.error();
    if (*answer) add_hex(out, schema::stored::bytes_of(schema::stored::encode(**answer)));
  }
  return {};
}

std::optional<std::string> read_to_end(int fd) {
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    ssize_t const size = ::read(fd, buffer.data(), buffer.size());
    if (size < 0) return std::nullopt;
    if (size == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

/// What the child of `describe_contained` does: writes the description to `fd`.
int write_description(std::filesystem::path const& directory, int fd) {
  auto const store = store::Store::open(directory, {.is_read_only = true});
  if (!store) return 1;
  auto const text = describe(**store);
  if (!text) return 1;
  for (std::size_t sent = 0; sent < text->size();) {
    ssize_t const size = ::write(fd, text->data() + sent, text->size() - sent);
    if (size <= 0) return 1;
    sent += static_cast<std::size_t>(size);
  }
  return 0;
}

pid_t start_child(std::function<int()> const& work) {
  pid_t const child = ::fork();
  if (child != 0) return child;
  struct rlimit const no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  for (int const signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE}) ::signal(signal, SIG_DFL);
  int status = 2;
  try {
    status = work();
  } catch (std::exception const&) {
    status = 3;
  }
  ::_exit(status);
}

int status_of(pid_t child) {
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace

store::Commit History::begin() {
  tx_ = schema::next(tx_);
  return {.entry = {.tx = tx_,
                    .at = at_second(static_cast<std::int64_t>(schema::number(tx_))),
                    .actor = "writer",
                    .idempotency_key = {},
                    .previous = {},
                    .changes = {}},
          .rows = {},
          .contents = {}};
}

std::vector<store::RowEdge> History::edges_of(schema::Record const& record) const {
  std::vector<store::RowEdge> edges;
  for (auto const& link : schema::links_of(record)) {
    Name const other{link.other_type, std::string{link.other_id()}};
    if (!link.is_enforced && !vertices_.contains(other)) continue;
    edges.push_back({link.type, link.owner_is_from, vertices_.at(other), link.value, link.rank});
  }
  return edges;
}

schema::stored::Sealed sealed(schema::Record const& record, schema::RevisionKind kind) {
  schema::stored::Salt salt;
  auto const digest = schema::stored::fingerprint(record);
  std::ranges::copy(std::as_bytes(std::span{digest.bytes}).first(sizeof salt), salt.begin());
  return schema::stored::seal(record, salt, kind);
}

void History::add_puts(std::vector<schema::Record> const& records, store::Commit& commit) {
  std::uint32_t number = next_vertex_;
  for (auto const& record : records) vertices_[{type_of(record), node_id_of(record)}] = VertexId{number++};
  for (auto const& record : records) {
    store::VertexRow row{.vertex = VertexId{next_vertex_++},
                         .type = type_of(record),
                         .id = node_id_of(record),
                         .time = time_of(record),
                         .edges = edges_of(record)};
    commit.entry.changes.push_back({row.vertex, ChangeKind::put, {}});
    commit.rows.push_back(std::move(row));
    commit.contents.push_back(sealed(record));
  }
}

void History::add_revisions(std::vector<Revise> const& revisions, store::Commit& commit) {
  for (Revise const& revise : revisions) {
    VertexId const vertex = vertices_.at({type_of(revise.record), node_id_of(revise.record)});
    store::RevisionRow row{
        .vertex = vertex, .type = type_of(revise.record), .revision = ++revisions_[vertex], .kind = revise.kind};
    for (auto const& edge : revise.edges) row.edges.push_back({edge.type, true, vertices_.at(edge.to), edge.value});
    commit.entry.changes.push_back({vertex, ChangeKind::revise, {}});
    commit.revisions.push_back(std::move(row));
    commit.contents.push_back(sealed(revise.record, revise.kind));
  }
}

store::Commit History::make(Changes changes) {
  store::Commit commit = begin();
  std::vector<VertexId> hidden;
  for (Name const& name : changes.hide) hidden.push_back(vertices_.at(name));
  add_puts(changes.put, commit);
  add_revisions(changes.revise, commit);
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    if (vertices_.at(changes.hide[i]) == hidden[i]) vertices_.erase(changes.hide[i]);
    commit.entry.changes.push_back({hidden[i], ChangeKind::hide, {}});
  }
  for (std::string const& id : changes.deprecate) {
    VertexId const unit = vertices_.at({schema::RecordType::context_unit, id});
    commit.entry.changes.push_back({unit, ChangeKind::deprecate, {}});
  }
  for (std::string& bytes : changes.blobs) commit.blobs.push_back({schema::sha256(bytes), std::move(bytes)});
  commit.entry.idempotency_key = std::move(changes.idempotency_key);
  if (!commit.entry.idempotency_key.empty()) {
    commit.kept_answer = {
        .batch = schema::sha256(commit.entry.idempotency_key), .tx = tx_, .refs = {"Topic:t"}, .warnings = {}};
  }
  return commit;
}

store::Commit History::put(std::vector<schema::Record> records, std::string idempotency_key) {
  return make({.put = std::move(records), .idempotency_key = std::move(idempotency_key)});
}

store::Commit History::deprecate(std::string const& unit_id) {
  return make({.deprecate = {unit_id}});
}

void History::rewind(schema::TxId tx, std::uint32_t vertices) {
  tx_ = tx;
  next_vertex_ = vertices;
}

schema::XmlMessageAttachment blob_attachment(std::string const& text) {
  auto const digest = schema::sha256(text);
  return {.hash = to_hex(schema::sha256(to_hex(digest))),
          .topic_id = "t",
          .message_id = "m",
          .xml_blob = schema::blob_name(digest),
          .size = static_cast<std::int64_t>(text.size())};
}

std::string long_text() {
  std::string text;
  while (text.size() < 3000) text += "<llmQuery n='" + std::to_string(text.size()) + "'/>";
  return text;
}

std::vector<store::Commit> small_history(History& history) {
  auto const query = blob_attachment(long_text());
  schema::XmlMessageAttachment const answer{.hash = to_hex(schema::sha256("answer")),
                                            .topic_id = "t",
                                            .message_id = "m",
                                            .xml_content = "<llmResponse/>",
                                            .format = schema::XmlFormat::llm_response,
                                            .response_id = "resp_1"};
  schema::Keyword const word{.term = std::string(700, 'w'), .frequency = 1, .source_xml_hash = answer.hash};
  Revise const word_again{
      .record = word,
      .kind = schema::RevisionKind::addition,
      .edges = {{schema::EdgeType::extracted_from, {schema::RecordType::xml_message_attachment, query.hash}, 0.5}}};
  auto renamed = topic("t");
  renamed.name = "renamed";
  std::vector<store::Commit> commits;
  commits.push_back(history.put({unit("cu_a"), unit("cu_b"), response("resp_1", {"cu_a", "cu_b"})}, "key-1"));
  commits.push_back(
      history.make({.put = {feedback("fb_1", "resp_1", -0.75), topic("t"), message("m", "t"), query, answer, word},
                    .blobs = {long_text()}}));
  commits.push_back(history.make({.revise = {word_again, {.record = renamed}},
                                  .hide = {{schema::RecordType::feedback_record, "fb_1"}},
                                  .deprecate = {"cu_a"}}));
  return commits;
}

void append_small_history(store::Store& store, History& history) {
  for (store::Commit& commit : small_history(history)) store.append(std::move(commit));
}

std::vector<schema::Record> many_units(std::size_t count) {
  std::vector<schema::Record> records;
  for (std::size_t i = 0; i < count; ++i) records.emplace_back(unit("cu_" + std::to_string(i)));
  return records;
}

std::vector<schema::Record> many_responses(std::size_t count, std::size_t uses, std::size_t units,
                                           std::string const& salt) {
  std::vector<schema::Record> records;
  for (std::size_t i = 0; i < count; ++i) {
    Uses used;
    for (std::size_t k = 0; k < uses; ++k) {
      used.push_back(
          {"cu_" + std::to_string((i * 31 + k * 7919) % units), static_cast<double>(1 + (i + k) % 900) / 10000});
    }
    records.emplace_back(response("resp_" + salt + "_" + std::to_string(i), std::move(used)));
  }
  return records;
}

Result<std::string> describe(store::Store const& store) {
  std::string out = store.epoch() + '\n';
  std::vector<schema::ContentId> contents;
  schema::TxId head{0};
  auto const visit = [&](store::ReplayedCommit const& commit) {
    describe_block(commit, out);
    for (store::VertexRow const& row : commit.rows) contents.push_back({row.vertex});
    for (store::RevisionRow const& row : commit.revisions) contents.push_back({row.vertex, row.revision});
    head = commit.tx;
  };
  if (auto const replayed = store.replay(visit); !replayed) return replayed.error();
  if (auto const logged = describe_log(store, head, out); !logged) return logged.error();
  Result<void> described;
  auto const read = store.read(contents, [&](std::size_t, schema::StoredContent&& record) {
    if (!record) {
      out.append("gone\n");
      return true;
    }
    described = describe_content(store, *record, out);
    return described.has_value();
  });
  if (!read) return read.error();
  if (!described) return described.error();
  return out;
}

std::optional<std::string> describe_contained(std::filesystem::path const& directory) {
  std::array<int, 2> ends = {};
  if (::pipe(ends.data()) != 0) return std::nullopt;
  pid_t const child = start_child([&] { return write_description(directory, ends[1]); });
  ::close(ends[1]);
  std::optional<std::string> text = read_to_end(ends[0]);
  ::close(ends[0]);
  return status_of(child) == 0 ? text : std::nullopt;
}

int run_in_child(std::function<int()> const& work) {
  return status_of(start_child(work));
}

}  // namespace whence::test
