// One object of JSON a line. The last line says how many are before it, and moves as lines are added: whatever is cut
// off, between two erasures too, takes that line along.
#include "tools/cli/personal/erased_list.hpp"

#include "schema/json/json.hpp"
#include "store/files/files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace whence::tools {
namespace {

namespace json = boost::json;

/// Of the last line: how many lines are before it. Lists that were put together have one each.
constexpr std::string_view end_member = "end";

struct ListText {
  std::vector<ErasedRecord> records = {};
  std::string text = {};                          ///< the lines of the records
  std::set<std::string, std::less<>> lines = {};  ///< the same
};

CallError list_not_written(std::filesystem::path const& file, int code) {
  return {.exit = ExitCode::failure,
          .message = "cannot write " + file.string() + ": " + std::generic_category().message(code)};
}

std::optional<std::uint64_t> list_count_in(json::object const& line, std::string_view name) {
  auto const* const value = line.if_contains(name);
  if (value == nullptr || !value->is_int64() || value->get_int64() < 0) return std::nullopt;
  return static_cast<std::uint64_t>(value->get_int64());
}

std::optional<schema::Time> list_time_in(json::object const& line, std::string_view name) {
  auto const* const value = line.if_contains(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  auto const text = value->get_string();
  return schema::parse_rfc3339(std::string_view{text.data(), text.size()});
}

std::optional<ErasedRecord> erased_record_in(json::object const& line) {
  auto const* const text = line.if_contains("ref");
  if (text == nullptr || !text->is_string()) return std::nullopt;
  auto ref = schema::parse_ref(std::string_view{text->get_string().data(), text->get_string().size()});
  auto const tx = list_count_in(line, "tx");
  auto const at = list_time_in(line, "at");
  auto const purged_at = list_time_in(line, "purged_at");
  if (!ref || !tx || !at || !purged_at) return std::nullopt;
  return ErasedRecord{.ref = *std::move(ref), .tx = *tx, .at = *at, .purged_at = *purged_at};
}

/// Takes the list apart; what is wrong says so behind the name of the file.
CallResult<ListText> parse_list(std::string_view text, std::string const& where) {
  ListText list;
  std::uint64_t open = 0;  // lines without an end yet
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    auto const length = text.find('\n');
    auto const line = text.substr(0, length);
    text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
    boost::system::error_code failed;
    auto const parsed = json::parse(line, failed);
    auto const* const object = failed ? nullptr : parsed.if_object();
    auto const in_line = where + ", line " + std::to_string(number) + ": ";
    if (object == nullptr) return invalid_input(in_line + "is no line of a list that person erase --list made");
    if (object->contains(end_member)) {
      if (list_count_in(*object, end_member) != std::optional{open})
        return invalid_input(in_line + "lines before it are missing: the list is not whole");
      open = 0;
      continue;
    }
    auto record = erased_record_in(*object);
    if (!record) return invalid_input(in_line + "is no line of a list that person erase --list made");
    list.records.push_back(*std::move(record));
    list.text.append(line).push_back('\n');
    list.lines.insert(schema::json::to_text(parsed));
    ++open;
  }
  if (open > 0)
    return invalid_input(where +
                         ": the list is not whole: its end is missing; `whence person erase PERSON --dry-run "
                         "--list ANOTHER` makes it again");
  return list;
}

/// Whether something open ends by itself: a file, or what a process sends. A device need not.
bool is_list_source(int file, bool may_be_pipe) {
  struct stat is {};
  if (::fstat(file, &is) != 0) return false;
  return S_ISREG(is.st_mode) || (may_be_pipe && S_ISFIFO(is.st_mode));
}

/// The bytes of an open file from its begin; nothing where it cannot be read, which is in errno.
std::optional<std::string> read_list_bytes(int file) {
  std::string text;
  std::array<char, 65'536> part;
  for (;;) {
    auto const got = ::read(file, part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

/// Makes `text` what the file has, from `begin` on, up to which it has that already; false as errno says.
bool write_list_bytes(int file, std::string_view text, std::size_t begin) {
  for (auto at = begin; at < text.size();) {
    auto const written = ::pwrite(file, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    at += static_cast<std::size_t>(written);
  }
  return ::ftruncate(file, static_cast<off_t>(text.size())) == 0 && ::fsync(file) == 0;
}

/// The list with those of `records` that it does not have, and its end.
std::string extended(ListText const& list, json::array const& records) {
  auto text = list.text;
  auto count = static_cast<std::uint64_t>(list.records.size());
  for (auto const& each : records) {
    auto const line = schema::json::to_text(each);
    if (list.lines.contains(line)) continue;
    text.append(line).push_back('\n');
    ++count;
  }
  text.append(schema::json::to_text(json::value(json::object{{end_member, count}}))).push_back('\n');
  return text;
}

/// Waits until the name of a new file is on disk, where its folder may be read.
void sync_name_of(std::filesystem::path const& file) {
  auto const parent = std::filesystem::absolute(file).parent_path();
  store::Descriptor const folder(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) (void)::fsync(folder.get());
}

std::string list_name(std::filesystem::path const& file, std::string_view flag) {
  return std::string(flag) + ": " + file.string();
}

}  // namespace

CallResult<std::vector<ErasedRecord>> read_erased_list(std::filesystem::path const& file, std::string_view flag) {
  store::Descriptor const opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (opened.get() >= 0 && !is_list_source(opened.get(), true))
    return invalid_input(list_name(file, flag) + ": is no file");
  auto const text = opened.get() < 0 ? std::nullopt : read_list_bytes(opened.get());
  if (!text)
    return invalid_input(list_name(file, flag) + ": cannot be read: " + std::generic_category().message(errno));
  if (text->empty()) return invalid_input(list_name(file, flag) + ": is empty, and no list");
  auto list = parse_list(*text, list_name(file, flag));
  if (!list) return list.error();
  return std::move(list->records);
}

CallResult<void> add_to_erased_list(std::filesystem::path const& file, json::array const& records,
                                    std::string_view flag) {
  if (records.empty()) return {};
  store::Descriptor const opened(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, store::private_file_mode));
  if (opened.get() < 0 || ::flock(opened.get(), LOCK_EX) != 0) return list_not_written(file, errno);
  if (!is_list_source(opened.get(), false)) return invalid_input(list_name(file, flag) + ": is no file");
  auto const before = read_list_bytes(opened.get());
  if (!before) return list_not_written(file, errno);
  auto const list = parse_list(*before, list_name(file, flag));
  if (!list) return list.error();
  auto const text = extended(*list, records);
  if (text == *before) return {};
  auto const same = std::ranges::mismatch(text, *before).in1 - text.begin();
  if (write_list_bytes(opened.get(), text, static_cast<std::size_t>(same))) {
    if (before->empty()) sync_name_of(file);
    return {};
  }
  auto const failed = list_not_written(file, errno);
  if (!write_list_bytes(opened.get(), *before, static_cast<std::size_t>(same))) return list_not_written(file, errno);
  return failed;
}

}  // namespace whence::tools
