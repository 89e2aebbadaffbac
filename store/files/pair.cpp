// How two files change as one. J and M are the final names, J0 and M0 the files that have them (perhaps none), J1 and
// M1 the new texts, tag(J, M) is a digest over both. The steps of an exchange:
//
//   a. finish and remove what an earlier exchange left       d. rename J.tmp<tag(J1, M1)> to J
//   b. write and flush J.tmp<tag(J1, M1)> and M.tmp<...>,    e. rename M.tmp<tag(J1, M1)> to M
//      give the file J its second name J.tmpold              f. flush the folder
//   c. flush the folder                                      g. remove J.tmpold
//
// Invariants:
// 1. Only renames change the file that has a final name, and a renamed file is whole and flushed. So each file is
//    always one that was written, never a piece of one, and never missing where there was one.
// 2. A temporary is renamed after a crash only where the other half is in place already: where the tag in its name is
//    the tag of that half and its own content. No other file gets such a name except by intent.
// 3. When d begins, the disk holds both temporaries, and no tagged temporary of any other exchange: c made the
//    removals of a durable too. Hence a loss of power, which may keep d without e or e without d, leaves one of these:
//    - neither: J0 and M0 are in place, and no temporary completes them; the pair is old, the rest is removed. (Where
//    J0 = J1,
//      M.tmp completes them and makes the pair new, and likewise for M0 = M1. That is as good.)
//    - one: the temporary of the other half is still there and completes it; finishing makes the pair new.
//    - both: the pair is new; at most J.tmpold is left, which has no tag and completes nothing.
// 4. Finishing is one rename; it can be repeated after a crash, and is, before anything is read, written or removed.
// 5. Where e fails, J.tmpold is renamed back to J (or J removed, where there was none) before M.tmp is removed. Between
//    these two steps 3 holds with J0 in place. Where taking back fails, M.tmp stays, and the next call finishes.
// 6. A file that cannot be read just now (a broken disk, no permission) is no reason to remove a temporary: the
//    error is returned and everything left as it is.

#include "store/files/pair.hpp"

#include <array>
#include <optional>

namespace whence::store {
namespace {

constexpr std::array<Half, 2> halves = {Half::json, Half::markdown};
constexpr std::string_view old_tag = "old";

std::string tag_of(PairTexts const& texts) {
  return pair_tag(texts.json, texts.markdown);
}

/// A regular file that could belong to a pair; nothing for everything else.
Result<std::optional<std::string>> read_plausible(Folder const& folder, std::string const& name) {
  Result<FileStatus> const found = folder.status(name);
  if (!found) return found.error();
  if (found->kind != FileKind::file || found->bytes > paired_file_bytes_max) return std::optional<std::string>{};
  return folder.read(name, paired_file_bytes_max);
}

}  // namespace

Result<std::vector<Temporary>> Pair::temporaries() const {
  Result<std::vector<std::string>> const names = folder_.names([this](std::string_view name) {
    std::optional<Temporary> const temporary = parse_temporary_name(name);
    return temporary && temporary->stem == stem_;
  });
  if (!names) return names.error();
  std::vector<Temporary> found;
  for (std::string const& name : *names) found.push_back(*parse_temporary_name(name));
  return found;
}

/// Whether the other half of the exchange that `temporary` belongs to is in place already.
Result<bool> Pair::completes(Temporary const& temporary) const {
  if (temporary.tag == old_tag) return false;
  Result<std::optional<std::string>> const standing = read_plausible(folder_, final(other(temporary.half)));
  if (!standing) return standing.error();
  if (!*standing) return false;
  Result<std::optional<std::string>> const waiting = read_plausible(folder_, temporary.file);
  if (!waiting) return waiting.error();
  if (!*waiting) return false;
  bool const is_json = temporary.half == Half::json;
  return temporary.tag == pair_tag(is_json ? **waiting : **standing, is_json ? **standing : **waiting);
}

Result<void> Pair::finish_with(Temporary const& temporary) const {
  // Flushed already, unless the half in place is both the old and the new one and the writer died early.
  if (Result<void> flushed = folder_.flush_file(temporary.file); !flushed) return flushed;
  if (Result<void> renamed = folder_.rename(temporary.file, final(temporary.half)); !renamed) return renamed;
  return folder_.flush();
}

Result<void> Pair::finish() const {
  Result<std::vector<Temporary>> const found = temporaries();
  if (!found) return found.error();
  for (Temporary const& temporary : *found) {
    Result<bool> const fits = completes(temporary);
    if (!fits) return fits.error();
    if (!*fits) continue;
    if (Result<void> finished = finish_with(temporary); !finished) return finished;
  }
  return {};
}

Result<void> Pair::clean() const {
  if (Result<void> finished = finish(); !finished) return finished;
  Result<std::vector<Temporary>> const left = temporaries();
  if (!left) return left.error();
  for (Temporary const& temporary : *left) {
    Result<FileStatus> const found = folder_.status(temporary.file);
    if (!found) return found.error();
    if (found->kind == FileKind::directory) continue;  // not from here, and it completes nothing
    if (Result<void> removed = folder_.remove(temporary.file); !removed) return removed;
  }
  return {};
}

Result<FoundPair> Pair::read() const {
  Result<std::optional<std::string>> json = folder_.read(final(Half::json), paired_file_bytes_max);
  if (!json) return json.error();
  Result<std::optional<std::string>> markdown = folder_.read(final(Half::markdown), paired_file_bytes_max);
  if (!markdown) return markdown.error();
  return FoundPair{.json = std::move(*json), .markdown = std::move(*markdown)};
}

/// Whether there is something under the final name; `conflict` where that is a folder.
Result<bool> Pair::has_replaceable(Half half) const {
  Result<FileStatus> const found = folder_.status(final(half));
  if (!found) return found.error();
  if (found->kind == FileKind::directory)
    return Error{Errc::conflict, "a folder stands in place of the file " + final(half)};
  return found->kind != FileKind::nothing;
}

Result<void> Pair::replace(PairTexts const& texts) const {
  if (Result<void> cleaned = clean(); !cleaned) return cleaned;
  Result<bool> const has_json = has_replaceable(Half::json);
  if (!has_json) return has_json.error();
  Result<bool> const has_markdown = has_replaceable(Half::markdown);
  if (!has_markdown) return has_markdown.error();
  if (Result<void> staged = stage(texts, *has_json); !staged) {
    drop_temporaries(tag_of(texts));
    return staged;
  }
  return exchange(texts, *has_json);
}

/// Steps b and c. A second name, not a copy: taking a failed exchange back then needs no room. Where the file system
/// has no such names the file is copied. `RENAME_EXCHANGE` would do it in one call, on fewer file systems.
Result<void> Pair::stage(PairTexts const& texts, bool has_old) const {
  std::string const tag = tag_of(texts);
  for (Half const half : halves) {
    std::string const& text = half == Half::json ? texts.json : texts.markdown;
    if (Result<void> made = folder_.create(temporary_name(stem_, half, tag), text); !made) return made;
  }
  if (has_old) {
    Result<void> kept =
        folder_.duplicate(final(Half::json), temporary_name(stem_, Half::json, old_tag), paired_file_bytes_max);
    if (!kept) return kept;
  }
  return folder_.flush();
}

/// Steps d to g.
Result<void> Pair::exchange(PairTexts const& texts, bool has_old) const {
  std::string const tag = tag_of(texts);
  Result<void> first = folder_.rename(temporary_name(stem_, Half::json, tag), final(Half::json));
  if (!first) {
    drop_temporaries(tag);
    return first;
  }
  Result<void> second = folder_.rename(temporary_name(stem_, Half::markdown, tag), final(Half::markdown));
  if (!second) {
    if (take_back(has_old)) drop_temporaries(tag);
    return second;
  }
  Result<void> flushed = folder_.flush();
  (void)folder_.remove(temporary_name(stem_, Half::json, old_tag));  // if it stays, the next exchange removes it
  return flushed;
}

/// Restores the old JSON file.
Result<void> Pair::take_back(bool has_old) const {
  Result<void> restored = has_old ? folder_.rename(temporary_name(stem_, Half::json, old_tag), final(Half::json))
                                  : folder_.remove(final(Half::json));
  if (!restored) return restored;
  return folder_.flush();
}

/// What cannot be removed now is removed by the next exchange.
void Pair::drop_temporaries(std::string const& tag) const {
  for (Half const half : halves) (void)folder_.remove(temporary_name(stem_, half, tag));
  (void)folder_.remove(temporary_name(stem_, Half::json, old_tag));
}

}  // namespace whence::store
