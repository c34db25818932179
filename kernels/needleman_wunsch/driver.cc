// Aligns two sequences of M and N letters, of whose pairs of letters the similarities are random.

#include "support/driver.h"

#include <algorithm>

namespace heddle::kernels {
namespace {

// The scores before any letter is aligned: i letters of one sequence against none of the other.
std::vector<int> first_scores(std::int64_t m, std::int64_t n, int penalty) {
  std::vector<int> score(static_cast<std::size_t>(m * n));
  for (std::int64_t i = 0; i < m; ++i) {
    score[static_cast<std::size_t>(i * n)] = -penalty * static_cast<int>(i);
  }
  for (std::int64_t j = 0; j < n; ++j) {
    score[static_cast<std::size_t>(j)] = -penalty * static_cast<int>(j);
  }
  return score;
}

std::vector<int> all_scores(const std::vector<int>& similarity, std::int64_t m, std::int64_t n,
                            int penalty) {
  std::vector<int> score = first_scores(m, n, penalty);
  const auto at = [n](std::int64_t i, std::int64_t j) {
    return static_cast<std::size_t>(i * n + j);
  };
  for (std::int64_t i = 1; i < m; ++i) {
    for (std::int64_t j = 1; j < n; ++j) {
      score[at(i, j)] = std::max({score[at(i - 1, j - 1)] + similarity[at(i, j)],
                                  score[at(i, j - 1)] - penalty, score[at(i - 1, j)] - penalty});
    }
  }
  return score;
}

void drive(const Options& options, Device& device) {
  // With the row and the column before the first letters.
  const int m = options.size("m") + 1;
  const int n = options.size("n") + 1;
  const int penalty = options.size("penalty");
  const std::size_t cells = static_cast<std::size_t>(m) * static_cast<std::size_t>(n);
  std::vector<int> similarities = random_integers(cells, 16, 1);
  for (int& s : similarities) s -= 4;

  const int block = geometry(device, 1)[0];
  const std::int64_t blocks_m = ceil_div(m - 1, block);
  const std::int64_t blocks_n = ceil_div(n - 1, block);
  const Buffer<int> similarity(device, similarities);
  const Buffer<int> score(device, first_scores(m, n, penalty));
  const auto work = [&] {
    for (std::int64_t diagonal = 0; diagonal < blocks_m + blocks_n - 1; ++diagonal) {
      const std::int64_t first_m = std::max<std::int64_t>(0, diagonal - blocks_n + 1);
      const std::int64_t last_m = std::min(diagonal, blocks_m - 1);
      device.launch("needleman_wunsch", {last_m - first_m + 1}, {block}, similarity, score, m, n,
                    penalty, static_cast<int>(first_m), static_cast<int>(diagonal - first_m));
    }
  };
  work();
  compare("score", all_scores(similarities, m, n, penalty), score.read(), {m, n});
  const double seconds = median_seconds(device, options.repetitions(), work);
  report(options, device,
         {"needleman_wunsch", seconds, 8.0 * static_cast<double>(cells),
          5.0 * static_cast<double>(cells)});
}

}  // namespace
}  // namespace heddle::kernels

int main(int argc, char** argv) {
  return heddle::kernels::run_driver(argc, argv,
                                     {{"m", 100, "letters of one sequence"},
                                      {"n", 70, "letters of the other"},
                                      {"penalty", 10, "what a gap costs"}},
                                     heddle::kernels::drive);
}
