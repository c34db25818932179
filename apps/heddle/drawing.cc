#include "heddle/drawing.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

namespace heddle::app {
namespace {

using notation::PictureFormat;

std::string folder_of(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

Result<void> check_folder(const std::string& path) {
  const std::string folder = folder_of(path);
  std::error_code error;
  if (folder.empty() || std::filesystem::exists(folder, error)) return {};
  return refuse(Diagnostic("draw.path", fmt::format("there is no folder {} for {}", folder, path))
                    .with_hint("mkdir -p " + folder));
}

/// Refuses a symbolic link: its target is not the file that was named, and must not change
/// unexpectedly.
Result<void> check_link(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return {};
  return refuse(Diagnostic("file.unwritable",
                           fmt::format("{} is a link to {}, and is not overwritten", path,
                                       std::filesystem::read_symlink(path, error).string()))
                    .with_hint("name the file itself, or remove the link"));
}

}  // namespace

Result<PictureFormat> format_of(const std::string& path) {
  if (path.empty() || path.ends_with(".txt")) return PictureFormat::kText;
  if (path.ends_with(".svg")) return PictureFormat::kSvg;
  if (path.ends_with(".html")) return PictureFormat::kHtml;
  if (path.ends_with(".tex")) return PictureFormat::kLatex;
  if (path.ends_with(".json")) return PictureFormat::kJson;
  return refuse(
      Diagnostic("file.unwritable", path + " is not a name for a picture")
          .with_hint("pictures are written as .svg, .html, .tex, .json and, in letters, as .txt"));
}

Result<void> write_picture(const std::string& path, std::string_view text) {
  HEDDLE_CHECK(check_folder(path));
  HEDDLE_CHECK(check_link(path));
  return write_file(path, text);
}

Result<void> write_picture(const std::string& path, const draw::Picture& picture) {
  HEDDLE_TRY(const PictureFormat format, format_of(path));
  return write_picture(path, to_text(picture, format));
}

}  // namespace heddle::app
