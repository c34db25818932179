import sys

from heddle.command import main

sys.exit(main())
