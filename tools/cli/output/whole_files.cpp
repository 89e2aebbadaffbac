#include "tools/cli/output/whole_files.hpp"

#include "store/files/destination.hpp"

#include <filesystem>
#include <system_error>

namespace whence::tools {
namespace {

using store::Destination;

CallResult<void> write_whole(std::string const& path, Destination::Shape shape, std::vector<NamedText> const& files,
                             Destination::Replacing const& replacing) {
  try {
    auto place = Destination::create(path, shape, replacing);
    if (!place) return call_error(place.error());
    for (auto const& [name, text] : files) {
      auto const file = place->open(name);
      file->write(text);
      (void)file->finish();
    }
    place->commit();
    return {};
  } catch (std::system_error const& failed) {
    bool const is_taken = failed.code() == std::errc::file_exists;
    return CallError{.exit = is_taken ? ExitCode::conflict : ExitCode::failure, .message = failed.what()};
  }
}

}  // namespace

CallResult<void> write_whole_file(std::string const& path, std::string_view text, bool may_replace) {
  return write_whole(path, Destination::Shape::file, {{{}, text}}, {.is_allowed = may_replace});
}

CallResult<void> write_whole_folder(std::string const& path, std::vector<NamedText> const& files) {
  std::error_code failed;
  bool const is_empty = std::filesystem::is_directory(path, failed) && std::filesystem::is_empty(path, failed);
  Destination::Replacing replacing{.is_allowed = is_empty};
  for (auto const& each : files) replacing.own_names.emplace_back(each.name);
  return write_whole(path, Destination::Shape::folder, files, replacing);
}

}  // namespace whence::tools
