// Archives of arrays, as numpy.savez writes them: members of a ZIP file that are stored as they
// are.

#include "core/format.h"
#include "core/little_endian.h"
#include "core/printable.h"
#include "files/formats.h"

namespace heddle::files {
namespace {

constexpr std::string_view kLocal = "PK\x03\x04";
constexpr std::string_view kCentral = "PK\x01\x02";
constexpr std::string_view kEnd = "PK\x05\x06";
constexpr std::string_view kEnd64 = "PK\x06\x06";
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kCentralBytes = 46;
/// What a field of 32 bits says if a field of 64 bits says it.
constexpr std::uint64_t kIn64 = 0xFFFFFFFF;

Refusal bad_archive(std::string_view why) {
  return refuse("npz.header", "this is not an archive of arrays: {}", why);
}

/// The bytes must be there.
std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t width) {
  return little_endian(bytes.substr(at, width));
}

struct Directory {
  std::uint64_t begin = 0;
  std::uint64_t members = 0;
};

Result<Directory> directory_of(std::string_view bytes) {
  const std::size_t end = bytes.rfind(kEnd);
  if (end == std::string_view::npos || bytes.size() - end < kEndBytes) {
    return bad_archive("it has no directory at its end");
  }
  Directory directory{number_at(bytes, end + 16, 4), number_at(bytes, end + 10, 2)};
  const std::size_t end64 = bytes.rfind(kEnd64, end);
  constexpr std::size_t kEnd64Bytes = 56;
  if (directory.begin == kIn64 && end64 != std::string_view::npos &&
      bytes.size() - end64 >= kEnd64Bytes) {
    directory = {number_at(bytes, end64 + 48, 8), number_at(bytes, end64 + 32, 8)};
  }
  if (directory.begin > bytes.size()) return bad_archive("its directory is past its end");
  return directory;
}

/// A file of the archive, as its directory describes it.
struct Member {
  std::string_view name;
  std::uint64_t method = 0;
  std::uint64_t size = 0;
  std::uint64_t begin = 0;
};

/// The sizes of more than 32 bits, in an extra field with the number 1.
void read_zip64(std::string_view extra, Member& member) {
  while (extra.size() >= 4) {
    const std::uint64_t id = number_at(extra, 0, 2);
    const std::uint64_t length = number_at(extra, 2, 2);
    if (length > extra.size() - 4) return;
    std::string_view field = extra.substr(4, static_cast<std::size_t>(length));
    extra.remove_prefix(4 + static_cast<std::size_t>(length));
    if (id != 1) continue;
    // The size before compression, that after it, and the place; those in 32 bits are left out.
    for (std::uint64_t* number : {&member.size, &member.size, &member.begin}) {
      if (*number != kIn64 || field.size() < 8) continue;
      *number = number_at(field, 0, 8);
      field.remove_prefix(8);
    }
    return;
  }
}

}  // namespace

bool looks_like_zip(std::string_view bytes) {
  return bytes.starts_with(kLocal) || bytes.starts_with(kEnd);
}

Result<std::vector<Tensor>> npz_tensors(std::string_view bytes) {
  HEDDLE_TRY(const Directory directory, directory_of(bytes));
  std::vector<Tensor> tensors;
  std::string_view rest = bytes.substr(static_cast<std::size_t>(directory.begin));
  for (std::uint64_t i = 0; i < directory.members; ++i) {
    if (rest.size() < kCentralBytes || !rest.starts_with(kCentral)) {
      return bad_archive("its directory ends early");
    }
    const auto name = static_cast<std::size_t>(number_at(rest, 28, 2));
    const auto extra = static_cast<std::size_t>(number_at(rest, 30, 2));
    const auto comment = static_cast<std::size_t>(number_at(rest, 32, 2));
    if (rest.size() - kCentralBytes < name + extra + comment) {
      return bad_archive("its directory ends early");
    }
    Member member{rest.substr(kCentralBytes, name), number_at(rest, 10, 2), number_at(rest, 24, 4),
                  number_at(rest, 42, 4)};
    read_zip64(rest.substr(kCentralBytes + name, extra), member);
    rest.remove_prefix(kCentralBytes + name + extra + comment);
    if (!member.name.ends_with(".npy")) continue;
    if (member.method != 0) {
      return refuse(
          diagnose("npz.compressed", "the member {} is compressed", printable(member.name))
              .with_hint("write it with numpy.savez, which does not compress"));
    }
    if (member.begin > bytes.size() || bytes.size() - member.begin < kLocalBytes) {
      return bad_archive(fmt::format("the member {} is past its end", printable(member.name)));
    }
    const auto local = static_cast<std::size_t>(member.begin);
    if (!bytes.substr(local).starts_with(kLocal)) {
      return bad_archive(
          fmt::format("the member {} is not where it should be", printable(member.name)));
    }
    const std::size_t data = local + kLocalBytes +
                             static_cast<std::size_t>(number_at(bytes, local + 26, 2)) +
                             static_cast<std::size_t>(number_at(bytes, local + 28, 2));
    if (data > bytes.size() || member.size > bytes.size() - data) {
      return bad_archive(fmt::format("the member {} is past its end", printable(member.name)));
    }
    HEDDLE_TRY(std::vector<Tensor> array,
               npy_tensors(bytes.substr(data, static_cast<std::size_t>(member.size))));
    array.front().begin += data;
    array.front().name = member.name.substr(0, member.name.size() - 4);
    tensors.push_back(std::move(array.front()));
  }
  return tensors;
}

}  // namespace heddle::files
