// Making histories and describing stores.

#include "tests/store/history.hpp"

#include "schema/links.hpp"
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
using schema::stored::Change;
using schema::stored::ChangeKind;

void add_hex(std::string& out, std::span<std::byte const> bytes) {
  static constexpr char digits[] = "0123456789abcdef";
  for (std::byte const byte : bytes) {
    out += digits[std::to_integer<unsigned>(byte) >> 4U];
    out += digits[std::to_integer<unsigned>(byte) & 15U];
  }
  out += '\n';
}

void describe_block(store::ReplayedCommit const& commit, std::string& out) {
  std::ostringstream line;
  line << "tx " << schema::number(commit.tx) << " at " << commit.at << " deprecates";
  for (VertexId const vertex : commit.deprecated) line << ' ' << schema::number(vertex);
  out += line.str() + '\n';
  for (store::VertexRow const& row : commit.rows) {
    std::vector<std::byte> bytes;
    encode_row(row, bytes);
    add_hex(out, bytes);
  }
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

store::Commit History::put(std::vector<schema::Record> records, std::string idempotency_key) {
  store::Commit commit = begin();
  commit.entry.idempotency_key = std::move(idempotency_key);
  std::uint32_t number = next_vertex_;
  for (auto const& record : records) vertices_[{type_of(record), id_of(record)}] = VertexId{number++};
  for (auto const& record : records) {
    store::VertexRow row{
        .vertex = VertexId{next_vertex_++}, .type = type_of(record), .id = id_of(record), .time = time_of(record)};
    for (auto const& link : schema::links_of(record)) {
      VertexId const other = vertices_.at({link.other_type, std::string{link.other_id}});
      row.edges.push_back({link.type, link.owner_is_from, other, link.value});
    }
    commit.entry.changes.push_back({row.vertex, ChangeKind::put, {}});
    commit.rows.push_back(std::move(row));
    commit.contents.push_back(schema::stored::encode(record));
  }
  if (!commit.entry.idempotency_key.empty()) {
    commit.kept_answer = {
        .batch = schema::sha256(commit.entry.idempotency_key), .tx = tx_, .refs = {"Topic:t"}, .warnings = {}};
  }
  return commit;
}

store::Commit History::deprecate(std::string const& unit_id) {
  store::Commit commit = begin();
  commit.entry.changes.push_back(
      {vertices_.at({schema::RecordType::context_unit, unit_id}), ChangeKind::deprecate, {}});
  return commit;
}

void History::rewind(schema::TxId tx, std::uint32_t vertices) {
  tx_ = tx;
  next_vertex_ = vertices;
}

void append_small_history(store::Store& store, History& history) {
  store.append(history.put({unit("cu_a"), unit("cu_b"), response("resp_1", {"cu_a", "cu_b"})}, "key-1"));
  store.append(history.put({feedback("fb_1", "resp_1", -0.75), topic("t"), message("m", "t")}));
  store.append(history.deprecate("cu_a"));
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
  std::vector<VertexId> vertices;
  schema::TxId head{0};
  auto const visit = [&](store::ReplayedCommit const& commit) {
    describe_block(commit, out);
    for (store::VertexRow const& row : commit.rows) vertices.push_back(row.vertex);
    head = commit.tx;
  };
  if (auto const replayed = store.replay(visit); !replayed) return replayed.error();
  if (auto const logged = describe_log(store, head, out); !logged) return logged.error();
  auto const read = store.read(vertices, [&](std::size_t, schema::Record&& record) {
    add_hex(out, schema::stored::bytes_of(schema::stored::encode(record)));
    return true;
  });
  if (!read) return read.error();
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
