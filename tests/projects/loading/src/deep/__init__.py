from .ages import adult
