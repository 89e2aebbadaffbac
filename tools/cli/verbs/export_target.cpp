// Files with their final names, or bytes on standard output.

#include "tools/cli/verbs/export_target.hpp"

#include "schema/json/json.hpp"
#include "store/files/output_file.hpp"
#include "tools/cli/exports/run.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <unistd.h>

namespace whence::tools {
namespace {

namespace json = boost::json;
using store::Destination;

void write_file(Destination& destination, std::string_view name, std::string_view text) {
  auto const file = destination.open(name);
  file->write(text);
  static_cast<void>(file->finish());
}

/// The names of all files that the folder of an export may hold.
std::vector<std::string> files_of_folders() {
  std::vector<std::string> names = {"manifest.json"};
  for (auto const& row : exports::formats()) {
    for (auto const file : row.files) {
      names.emplace_back(file);
      names.push_back(std::string(file) + std::string(exports::zstd_suffix));
    }
  }
  return names;
}

}  // namespace

CallResult<ExportTarget> ExportTarget::create(ExportPlace const& place, exports::Format const& format) {
  ExportTarget target(place, format.is_folder());
  auto const manifest = target.manifest_path();
  if (!manifest.empty() && !place.may_replace && std::filesystem::exists(manifest)) {
    return CallError{.exit = ExitCode::conflict, .message = manifest + " exists already"};
  }
  if (place.is_stdout()) return target;
  auto const shape = format.is_folder() ? Destination::Shape::folder : Destination::Shape::file;
  auto destination =
      Destination::create(place.path, shape, {.is_allowed = place.may_replace, .own_names = files_of_folders()});
  if (!destination) return call_error(destination.error());
  target.destination_.emplace(std::move(*destination));
  return target;
}

std::unique_ptr<schema::Sink> ExportTarget::open(std::string_view name) {
  if (destination_) return destination_->open(name);
  store::Descriptor out{::dup(STDOUT_FILENO)};
  if (out.get() < 0) throw std::system_error(errno, std::generic_category(), "dup");
  return std::make_unique<store::OutputFile>(std::move(out), "-");
}

std::string ExportTarget::manifest_path() const {
  if (!place_.manifest.empty()) return place_.manifest;
  if (place_.is_stdout()) return {};
  auto const path = std::filesystem::path(place_.path);
  return is_folder_ ? std::string{} : path.string() + ".manifest.json";
}

/// The manifest with the name that a single file has here, which is not the one it was made with.
std::string ExportTarget::named(std::string_view manifest) const {
  auto document = schema::json::parse(manifest);
  if (!document || !document->value.is_object()) return std::string(manifest) + '\n';
  auto* const files = document->value.get_object().if_contains("files");
  if (!is_folder_ && files != nullptr && files->is_array() && files->get_array().size() == 1) {
    files->get_array()[0].get_object()["name"] =
        place_.is_stdout() ? "-" : std::filesystem::path(place_.path).filename().string();
  }
  return schema::json::to_text(document->value) + '\n';
}

void ExportTarget::finish(std::string_view manifest) {
  auto const text = named(manifest);
  bool const lies_inside = is_folder_ && place_.manifest.empty();
  if (destination_ && lies_inside) write_file(*destination_, "manifest.json", text);
  if (destination_) destination_->commit();
  auto const path = manifest_path();
  if (path.empty()) return;
  auto beside = Destination::create(path, Destination::Shape::file, {.is_allowed = place_.may_replace});
  if (!beside) throw std::system_error(std::make_error_code(std::errc::invalid_argument), beside.error().message);
  write_file(*beside, {}, text);
  beside->commit();
}

}  // namespace whence::tools
